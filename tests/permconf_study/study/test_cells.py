import numpy as np
import pandas as pd
import pytest

from permconf.errors import ConfigError
from permconf_study.study.cells import RESULTS, Part, cell_table


def part(scenario="a", learner="logistic", **changed):
    """Eight data sets of two effects, one of them failed, whose truth is known for six."""
    number, beta = np.arange(8), np.arange(8) % 2 * 0.5
    tests = pd.DataFrame(
        {
            "dataset": number,
            "metric": "auc",
            "response_p": np.where(beta > 0, 0.01, 0.5),
            "prediction_p": np.where(number == 7, np.nan, 0.04),
            "observed": 0.6 + number / 100,
            "reweighted": np.where(number == 3, np.nan, 0.6),
            "reweighted_low": 0.5,
            "reweighted_high": np.where(number < 4, 0.7, 0.6),
            "status": ["failed", *["ok"] * 7],
        }
    )
    truths = pd.DataFrame({"dataset": number[:6], "metric": "auc", "as_trained": 0.61})
    given = {
        "design": pd.DataFrame({"dataset": number, "n": 100, "beta": beta}),
        "truths": truths,
        "cell": {"learner": learner},
        "varied": ("beta",),
        "truth": {"response": "beta != 0", "acts": False, "datasets": 6},
    }
    return Part(scenario, tests, **given | changed)


def found(table, **where):
    for name, value in where.items():
        table = table[table[name] == value]
    (row,) = table.to_dict("records")
    return row


def test_cells_are_told_apart_by_the_grid_and_by_values():
    table = cell_table([part(), part("b", "forest")])
    assert list(table) == ["scenario", "learner", "beta", *RESULTS]
    rate = found(table, learner="forest", beta=0.5, of="response", alpha=0.05)
    assert (rate["value"], rate["n_datasets"], rate["failed"], rate["alternative"]) == (1.0, 4, 0, True)
    assert rate["low"] == pytest.approx(0.025 ** (1 / 4))
    null = found(table, learner="logistic", beta=0.0, of="response", alpha=0.05)
    assert (null["value"], null["n_datasets"], null["failed"], null["alternative"]) == (0.0, 3, 1, False)
    prediction = found(table, learner="logistic", beta=0.5, of="prediction", alpha=0.01)
    assert (prediction["value"], prediction["undefined"], prediction["alternative"]) == (0.0, 1, False)


def test_estimators_are_judged_where_they_and_the_truth_are_known():
    table = cell_table([part()])
    bias = found(table, beta=0.5, measure="bias", of="observed")
    assert bias["n_datasets"] == 3  # data sets 1, 3 and 5; the truth of 7 is not known
    assert bias["value"] == pytest.approx(0.02)
    assert bias["mcse"] == pytest.approx(0.02 / np.sqrt(3))
    reweighted = found(table, beta=0.5, measure="coverage", of="reweighted")
    assert (reweighted["value"], reweighted["n_datasets"], reweighted["undefined"]) == (0.5, 2, 1)
    assert found(table, beta=0.5, measure="mean", of="observed")["n_datasets"] == 4


def test_cells_are_pooled_by_the_variables_that_are_asked_for():
    table = cell_table([part(), part("b", "forest")], by=["learner"])
    assert list(table) == ["learner", *RESULTS]
    pooled = found(table, learner="forest", of="response", alpha=0.05)
    assert (pooled["n_datasets"], pooled["alternative"]) == (7, None)
    with pytest.raises(ConfigError, match="there is no variable 'learners', did you mean 'learner'"):
        cell_table([part()], by=["learners"])


def test_cells_are_compared_with_a_reference_on_the_same_data_sets(rng):
    """What is kept of the ideal above chance, and how much more than without adjustment; rows in another order."""

    def adjusted(method, more, **changed):
        plain = part(method, varied=())
        truths = pd.DataFrame({"dataset": range(8), "metric": "auc", "ideal": ideal, "independent": ideal - 0.1 + more})
        made = {"status": "ok", "n_train": 100 - 1000 * more, "prediction_sign": "masks"}
        tests = plain.tests.assign(**made | changed)
        given = {"cell": {"method": method}, "reference": {"method": "none"}, "truth": {"worlds": ["ideal"]}}
        return Part(method, tests.sample(frac=1, random_state=1), plain.design, truths, **given)

    ideal = 0.7 + 0.05 * rng.standard_normal(8)
    some = adjusted("some", 0.02, status=["no", *["ok"] * 7])
    table = cell_table([adjusted("none", 0), adjusted("more", 0.02), some])
    above = ideal - 0.5
    kept = found(table, method="more", measure="kept", of="independent", against="ideal")
    assert kept["value"] == pytest.approx((above - 0.08).mean() / above.mean())
    error = np.std(above - 0.08 - kept["value"] * above, ddof=1) / np.sqrt(8) / above.mean()
    assert kept["mcse"] == pytest.approx(error)
    for method, number in (("none", 0), ("more", 8), ("some", 7)):
        gain = found(table, method=method, measure="gain", of="independent")
        assert gain["value"] == pytest.approx(0.02 / above[8 - number :].mean() if number else 0, abs=1e-12)
        assert found(table, method=method, measure="masks")["value"] == 1
    assert found(table, method="more", measure="lost")["value"] == pytest.approx(0.2)
    assert table["undefined"].dtype == int
    with pytest.raises(ConfigError, match="several cells have its values"):
        cell_table([adjusted("none", 0), adjusted("none", 0)])
    without = adjusted("more", 0.02)
    without.truths.loc[7, "ideal"] = np.nan
    table = cell_table([adjusted("none", 0, status=["no", *["ok"] * 7], n_train=[0, *[100] * 7]), without])
    for measure, of, values in (
        ("kept", "independent", 1 - 0.08 * 7 / above[:7].sum()),
        ("gain", "independent", 0.02 * 6 / above[1:7].sum()),
        ("lost", "n_train", 0.2),
    ):
        one = found(table, method="more", measure=measure, of=of)
        assert (one["value"], one["n_datasets"]) == (pytest.approx(values), 6 if measure == "gain" else 7)


def test_without_truth_there_is_no_bias():
    assert "bias" not in set(cell_table([part(truths=None, truth={})])["measure"])
