import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from permconf.data.confounders import Confounders
from permconf.data.features import Features
from permconf.data.response import Response
from permconf.data.sample import Sample
from permconf.engine.scores import Scores
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf.reweight import thinning
from permconf.reweight.bootstrap import BootstrapRows, Limits, is_unstable
from permconf.reweight.estimates import estimates
from permconf.reweight.metric import reweighted_predictions

ROWS = 600


@pytest.fixture
def table(rng):
    table = pd.DataFrame({"site": rng.choice(list("abc"), ROWS), "age": rng.normal(60, 10, ROWS)})
    table["y"] = (rng.logistic(size=ROWS) < (table["age"] - 60) / 10 + (table["site"] == "a")).astype(int)
    return table.assign(score=table["y"] + (table["age"] - 60) / 10 + rng.standard_normal(ROWS))


def made(table, confounders, metric="auc", **options):
    response, c = Response.of(table["y"]), Confounders.of(table[confounders])
    sample = Sample(Features.of(np.empty((len(table), 0))), response, c)
    scores = Scores(table["score"].to_numpy()[:, None], np.zeros(1, bool))
    options = {"seed": 0, "bootstrap": 100} | options
    return estimates(make_metric(metric), metric, sample, [(np.arange(len(table)), scores)], **options)


def test_the_difference_is_of_the_values_beside_it(table):
    found = made(table, ["age", "site"])
    assert found.against == "reweighted"
    assert found.difference.value == found.observed.value - found.reweighted.value
    assert found.difference.low < found.difference.low90 < found.difference.high90 < found.difference.high
    width = found.observed.high - found.observed.low + found.reweighted.high - found.reweighted.low
    assert found.difference.high - found.difference.low < width  # paired
    lower, upper = (abs(end - found.difference.value) for end in (found.difference.low, found.difference.high))
    skew = (found.reweighted.value - found.reweighted.low) / (found.reweighted.high - found.reweighted.value)
    assert upper / lower == pytest.approx(skew)  # .9 of the intervals of symmetric ones held the truth
    assert made(table, ["age", "site"], seed=5).reweighted.value == found.reweighted.value  # whatever the seed


def test_whom_the_overlap_value_is_about(table):
    table.loc[table["site"] == "c", "y"] = 1
    found = made(table, ["site"])
    assert found.left_out == (f"c ({(table['site'] == 'c').sum()} rows)",)
    assert found.support["levels"].tolist() == [("a", "b")]
    assert found.against == "overlap"
    assert found.reweighted.reason.startswith("no row has y = 0, site = 'c'")
    by_age = made(table, ["age"]).support.iloc[0]
    assert table["age"].min() < by_age["low"] < 60 < by_age["high"] < table["age"].max()


def test_a_level_without_cases_beside_a_number_is_not_weighted_by_a_model(table):
    """A model would extrapolate to a third of the rows: .55 (.41 to .69) instead of .68."""
    found = made(table.assign(y=np.where(table["site"] == "c", 0, table["y"])), ["site", "age"])
    assert found.reweighted.reason.startswith("no row has y = 1, site = 'c'")
    assert found.against == "overlap"
    rare = table.assign(site=np.where(np.arange(ROWS) < 6, "d", table["site"]))
    assert not made(rare.assign(y=np.where(rare["site"] == "d", 0, rare["y"])), ["site", "age"]).reweighted.reason


def test_a_confounder_that_separates_the_classes_leaves_nobody(table):
    """Weights near the border would be bounded, and all values that of the confounder itself."""
    found = made(table.assign(y=(table["age"] > 60).astype(int)), ["age"])
    for target in ("reweighted", "overlap", "within", "difference"):
        assert "still have an AUC of 1.00" in getattr(found, target).reason
        assert np.isnan(getattr(found, target).value)


def test_a_value_that_hangs_on_a_few_rows_is_withheld(rng):
    assert not is_unstable(rng.standard_t(4, 1000))
    assert is_unstable(np.append(rng.normal(size=990), np.full(10, -100.0)))
    assert not is_unstable(np.full(50, 0.5))


def test_predictions_of_one_class_have_no_interval(table):
    """In bootstrap samples, kappa is 0; among further rows, another class may be predicted."""
    cut = table.assign(score=table["score"] - table["score"].max())
    for metric, value in (("balanced_accuracy", 0.5), ("f1", 0.0)):
        found = made(cut, ["site"], metric)
        assert found.observed.value == value
        assert np.isnan([found.observed.low, found.reweighted.value, found.difference.value]).all()
        assert found.reweighted.reason.startswith("bootstrap samples do not differ")
    response, c = Response.of(table["y"]), Confounders.of(table["site"])
    scores = Scores(cut["score"].to_numpy()[:, None], np.zeros(1, bool))
    options = {"bootstrap": 50, "streams": Streams(0, "test")}
    with pytest.raises(ValueError, match="bootstrap samples do not differ, as where one class is predicted"):
        reweighted_predictions(scores, make_metric("f1"), response, c, None, **options)
    assert made(cut, ["site"], "accuracy").reweighted.low < 0.5  # which varies
    perfect = made(table.assign(score=table["y"] - 0.5), ["site"], "balanced_accuracy").reweighted
    assert (perfect.value, perfect.high) == (1, 1)


def test_thirty_cases_carry_a_reweighted_value(rng):
    """An exact balance put their weight on two or three rows, and 13 of 30 values were withheld."""
    withheld = 0
    for _ in range(30):
        table = pd.DataFrame(rng.standard_normal((300, 2)), columns=["age", "weight"])
        index = table.sum(axis=1) / np.sqrt(2)
        table["y"] = (rng.logistic(size=300) < 0.95 * index - 2.5).astype(int)
        found = made(table.assign(score=table["y"] + index + rng.standard_normal(300)), ["age", "weight"], bootstrap=50)
        withheld += found.reweighted.reason != ""
    assert withheld <= 5  # 1.6 are expected


def test_levels_one_by_one(table):
    found = made(table, ["age", "site"]).by_level
    assert found["level"].tolist() == ["a", "b", "c"]
    for row in found.itertuples():
        here = table[table["site"] == row.level]
        assert row.rows == len(here)
        assert row.value == pytest.approx(roc_auc_score(here["y"], here["score"]))
        assert row.low < row.value < row.high


def test_a_misfit_withholds_what_rests_on_the_model(table):
    found = made(table, ["age"], problem="the model misses something")
    assert found.reweighted.reason == found.overlap.reason == found.difference.reason == "the model misses something"
    assert not found.within.reason
    assert not made(table, ["site"], problem="the model misses something").reweighted.reason  # cells are counted


def test_scores_of_different_models_are_not_compared_within_numeric_confounders(table):
    response, c = Response.of(table["y"]), Confounders.of(table["age"])
    sample, fold = Sample(Features.of(np.empty((ROWS, 0))), response, c), np.arange(ROWS) % 3
    values = [
        estimates(
            make_metric("auc"),
            "auc",
            sample,
            [
                (rows, Scores((table["score"].to_numpy()[rows] + shift * k)[:, None], np.zeros(1, bool)))
                for k, rows in enumerate(np.flatnonzero(fold == k) for k in range(3))
            ],
            seed=0,
            bootstrap=20,
        ).within.value
        for shift in (0, 100)
    ]
    assert values[0] == values[1]


def test_a_level_for_each_class_leaves_no_overlap(table):
    found = made(table.assign(site=table["y"].map(["a", "b"].__getitem__)), ["site"])
    assert found.overlap.reason == "no row of a class has weight"


def test_metrics_without_pairs_have_no_value_within(table):
    found = made(table, ["age"], metric="average_precision")
    assert found.within.reason == "only an AUC is made of pairs of rows"
    assert found.overlap.low < found.overlap.value < found.overlap.high


def test_intervals_of_very_many_rows_come_from_some_of_them(table, monkeypatch):
    whole = made(table, ["age", "site"], bootstrap=400)
    monkeypatch.setattr(thinning, "MOST_ROWS", 300)
    monkeypatch.setattr(thinning, "FEWEST_OF_A_CLASS", 50)
    some = made(table, ["age", "site"], bootstrap=400)
    for target in ("observed", "reweighted", "overlap", "within"):
        a, b = getattr(whole, target), getattr(some, target)
        assert a.value == b.value
        assert b.high - b.low == pytest.approx(a.high - a.low, rel=0.35)


def test_few_rows_in_a_cell_limit_an_interval():
    y, cells = np.repeat([0, 1], 30), np.tile(np.repeat([0, 1], [27, 3]), 2)
    weights = np.where(cells == 1, 5.0, 0.5)
    limits = BootstrapRows.of(60, None).limits(weights, y, cells)
    variance = np.array([0.25 * 27, 25 * 3])
    assert limits.freedom == pytest.approx(variance.sum() ** 2 / (variance[0] ** 2 / 26 + variance[1] ** 2 / 2))
    assert limits.wider > 1.2
    assert Limits.of([(1.0, 50.0)]).wider == pytest.approx(np.sqrt(50 / 49))
