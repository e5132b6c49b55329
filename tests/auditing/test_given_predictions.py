"""Predictions made elsewhere, and comparisons of adjustments."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from permconf import audit, audit_predictions, compare_adjustments, plot_adjustments


def test_the_same_as_an_audit_of_the_test_rows(data, options):
    a = audit(data, **options)
    test = data.loc[a.predictions["row"]].assign(score=a.predictions["score"].to_numpy())
    p = audit_predictions(test, scores="score", response="ill", confounders="sex")
    assert p.observed == a.observed
    assert p.prediction_p == a.prediction_p
    assert p.reweighted == pytest.approx(a.reweighted)
    assert p.association_p != a.association_p  # of the test rows alone
    assert np.isnan(p.response_p)
    assert np.isnan(p.corrected)
    assert p.paper is None
    assert p.predictions["row"].tolist() == test.index.tolist()
    assert any("Nothing was fitted" in n for n in p.notes)
    assert p.to_dict()["response_p"] is None


def test_row_order_does_not_matter(data, rng):
    data["p"] = rng.random(120)
    options = {"scores": "p", "response": "ill", "confounders": ["sex", "site"], "groups": "subject"}
    data["ill"] = rng.choice(["no", "yes"], 120)
    one, two = audit_predictions(data, **options), audit_predictions(data.sample(frac=1, random_state=1), **options)
    assert (one.observed, one.prediction_p) == (two.observed, two.prediction_p)


def test_many_rows_have_fewer_bootstrap_samples(rng, monkeypatch):
    monkeypatch.setattr("permconf.auditing.scored_rows._RESAMPLED", 2e5)
    c = rng.integers(0, 2, 1000)
    data = pd.DataFrame({"y": rng.integers(0, 2, 1000), "c": c, "s": rng.normal(size=1000) + c})
    a = audit_predictions(data, scores="s", response="y", confounders="c")
    assert any("rest on 200 bootstrap samples instead of 1000" in note for note in a.notes)


def test_folds_without_a_class_are_noted(data, rng):
    data = data.assign(s=rng.normal(size=len(data)), fold=np.where(data["ill"] == "yes", 0, np.arange(len(data)) % 3))
    options = {"scores": "s", "response": "ill", "confounders": "site", "folds": "fold"}
    assert any("is not defined in 2 of 3 test sets" in note for note in audit_predictions(data, **options).notes)
    with pytest.raises(ValueError, match="auc is not defined for the test rows; choose another metric"):
        audit_predictions(data.assign(fold=np.arange(len(data))), **options)


def test_comparison_of_adjustments(data, options):
    table = compare_adjustments(
        data, adjustments=["none", "matching", {"name": "matching", "sets": "training"}], **options
    )
    assert table["adjustment"].tolist() == ["none", "matching (sets = both)", "matching (sets = training)"]
    assert table.loc[0, "observed"] == audit(data, **options).observed
    assert (table["error"] == "").all()
    assert table["dropped"].tolist()[0] == 0
    assert table["dropped"][1] > table["dropped"][2] > 0


def test_all_adjustments_by_default_and_one_that_cannot_be_made_is_a_row(data, options):
    table = compare_adjustments(data, **options | {"learner": "lda"}).set_index("adjustment")
    assert table.index[0] == "none"
    assert {"residuals", "weighting", "resampling"} <= set(table.index)
    assert table.loc["none", "error"] == ""
    assert "try 'resampling'" in table.loc["weighting", "error"]
    assert np.isnan(table.loc["weighting", "observed"])


def test_folds_that_can_be_read_once_are_those_of_every_adjustment(data, options):
    cv = KFold(3, shuffle=True, random_state=1)
    names = ["none", "residuals"]
    tables = [compare_adjustments(data, adjustments=names, cv=folds, **options) for folds in (cv, cv.split(data))]
    assert (tables[1]["error"] == "").all()
    assert tables[0]["observed"].tolist() == tables[1]["observed"].tolist()


def test_the_chart_has_a_row_for_every_adjustment_that_could_be_made(data, options):
    table = compare_adjustments(data, adjustments=["none", "matching", "weighting"], **options | {"learner": "lda"})
    figure = plot_adjustments(table)
    left, middle, right = figure.axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["none", "matching\n(sets = both)"]
    drawn = [line.get_xdata()[0] for line in left.get_lines()[:2]]
    np.testing.assert_allclose(drawn, np.maximum(table["prediction_p"][:2], 1e-4))
    np.testing.assert_allclose(middle.get_lines()[1].get_xdata(), table["reweighted"][:2])
    lost = table["dropped"][1] / (table["rows"][1] + table["dropped"][1])
    np.testing.assert_allclose([bar.get_width() for bar in right.patches if bar.get_height() == 0.5], [0, 100 * lost])
    plot_adjustments(table.assign(adjustment="$x_^$")).draw_without_rendering()
    with pytest.raises(ValueError, match="no adjustment could be made"):
        plot_adjustments(table.assign(error="no"))
