"""Both tests wired: which confounder is read, and where no test is possible."""

import numpy as np
import pandas as pd
import pytest

from permconf import prediction_test
from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.sample import Subjects
from permconf.inference import read_test
from permconf.inference.links import Rows, links


def found(scores, y, data, *, groups=None, parts=None, **options):
    """The links of these rows."""
    n = len(y)
    rows = Rows(
        Response.of(y),
        Confounders.of(data, rows=n),
        Subjects.of(groups, rows=n),
        Levels.single(n) if parts is None else Levels.of(parts),
    )
    return links(rows._replace(parts=Levels.single(n)), rows, scores, **{"permutations": 199, "seed": 0} | options)


def guilty_and_innocent(rng, n=300, *, effect=0.8):
    """Scores that read one of two correlated confounders; the response depends on that one."""
    guilty = rng.standard_normal(n)
    innocent = 0.7 * guilty + 0.7 * rng.standard_normal(n)
    y = (guilty + rng.logistic(size=n) > 0).astype(int)
    return y + effect * guilty + rng.standard_normal(n), y, pd.DataFrame({"guilty": guilty, "innocent": innocent})


FORMS = {
    "as they come": lambda data: data,
    "binary innocent": lambda data: data.assign(innocent=data["innocent"] > 0),
    "levels": lambda data: data.assign(innocent=pd.cut(data["innocent"], 12, labels=list("abcdefghijkl")).astype(str)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", ["rows", "folds", "subjects", "visits"])
def test_the_confounder_that_is_read_is_named(form, rows, rng):
    scores, y, data = guilty_and_innocent(rng)
    data, options = FORMS[form](data), {}
    if rows == "folds":
        options["parts"] = np.arange(300) % 3
        scores = scores * (1 + options["parts"])
    if rows == "subjects":
        ids = options["groups"] = np.repeat(np.arange(300), 2)
        scores, y, data = scores[ids] + 0.1 * rng.standard_normal(600), y[ids], data.iloc[ids]
    if rows == "visits":  # confounders vary within subjects
        options["groups"] = np.arange(300) // 10
    table = found(scores, y, data, **options).by_confounder
    assert table["prediction_p"].max() <= 0.05  # both are associated with the scores
    assert table["read_p"][0] <= 0.02
    assert table["read_p"][1] > 0.02
    assert (table["read_sign"][0], table["shape"][0]) == ("inflates", "linear")
    assert (table["attainable_p"] < 0.02).all()
    assert table["reason"].tolist() == ["", ""]


def test_a_product_is_read_from_both_of_its_confounders(rng):
    data = pd.DataFrame(rng.standard_normal((300, 3)), columns=list("abc"))
    y = rng.integers(0, 2, 300)
    scores = y + 0.8 * (data["a"] * data["b"]).to_numpy() + rng.standard_normal(300)
    table = found(scores, y, data).by_confounder
    assert table["read_p"].tolist()[:2] == [0.015, 0.015]
    assert table["read_p"][2] > 0.05
    assert table["shape"].tolist()[:2] == ["together with b", "together with a"]


def test_one_confounder_is_that_of_the_prediction_test(rng):
    scores, y, data = guilty_and_innocent(rng, effect=0.2)
    test = prediction_test(scores, y, data["guilty"], permutations=199)
    row = found(scores, y, data[["guilty"]]).by_confounder.iloc[0]
    assert (row["read_p"], row["read_sign"], row["shape"]) == (test.p, test.sign, test.by_confounder["shape"][0])


def test_numeric_response_and_many_rows(rng, monkeypatch):
    _, _, data = guilty_and_innocent(rng, n=900)
    y = data["guilty"].to_numpy() + rng.standard_normal(900)
    scores = y + data["guilty"].to_numpy() + rng.standard_normal(900)
    monkeypatch.setattr(read_test, "MOST_UNITS", 400)
    table = found(scores, y, data).by_confounder
    assert table["read_p"][0] == 0.01
    assert table["read_p"][1] > 0.01
    assert table["read_sign"][0] == "inflates"


def test_copies_of_a_confounder_cannot_be_told_apart(rng):
    scores, y, data = guilty_and_innocent(rng)
    table = found(scores, y, data.assign(innocent=data["guilty"])).by_confounder
    assert table["prediction_p"].max() < 0.01
    assert table["read_p"].min() > 0.05


# ---- what could have been found --------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [20, 60])
def test_one_row_that_crosses_sites_bounds_the_p_value(m, rng):
    """It may be at either end of the scores of its class: 2 of m places give the most extreme statistic."""
    y = np.repeat([0, 1], m)
    site = y.copy()
    site[0] = 1
    test = prediction_test(site + 0.01 * rng.standard_normal(2 * m), y, site)
    assert abs(test.attainable_p - 2 / m) < 4 * np.sqrt(2 / m / 9999)
    assert test.p == test.attainable_p
    table = found(rng.standard_normal(2 * m), y, pd.DataFrame({"site": site}), permutations=9999).by_confounder
    assert ("no p-value below" in table["reason"][0]) == (2 / m > 0.05)


def test_leave_one_site_out_cannot_be_assessed(rng):
    site, y = np.repeat(list("abc"), 40), rng.integers(0, 2, 120)
    scores = y + rng.standard_normal(120)
    test = prediction_test(scores, y, site, parts=site)
    assert (test.p, test.attainable_p, test.by_confounder["shape"][0]) == (1, 1, "")
    both = found(scores, y, pd.DataFrame({"site": site, "age": rng.standard_normal(120)}), parts=site)
    assert both.by_confounder["attainable_p"].tolist()[0] == 1
    assert "do not vary among rows of the same class and fold" in both.by_confounder["reason"][0]
    assert both.by_confounder["read_p"][0] == 1
    assert both.attainable_p < 0.05  # age can be
    assert prediction_test(scores, y, rng.standard_normal(120), permutations=999).attainable_p < 0.01
