"""One call: from a table to the answer."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import tqdm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from permconf import assess, audit, prediction_test, reweighted_metric

ANSWERS = ("observed", "reweighted", "corrected", "response_p", "association_p", "prediction_p", "confounding_p")


def numbers(answer):
    return [getattr(answer, name) for name in ANSWERS]


def test_the_parts_of_the_answer_are_those_of_the_method(data, options):
    """The audit of a given split against plain calls of the functions that it is made of."""
    rng = np.random.default_rng(5)
    train = np.sort(rng.permutation(120)[:60])
    test = np.setdiff1d(np.arange(120), train)
    a = audit(data, **options | {"split": (train, test), "permutations": 999, "seed": 3})
    X, y, c = data[["a", "b", "c"]].to_numpy(), data["ill"].to_numpy(), data["sex"].to_numpy()
    plain = assess(X[train], y[train], c[train], X[test], y[test], c[test], permutations=999, seed=3)
    assert a.observed == plain.observed == a.paper.observed
    assert (a.paper.baseline_mean, a.paper.baseline_sd) == (plain.baseline_mean, plain.baseline_sd)
    error = plain.restricted_sd / np.sqrt(999)
    assert abs(a.paper.restricted_mean - plain.restricted_mean) < 4 * np.sqrt(2) * error
    assert abs(a.response_p - plain.response_p) < 4 * np.sqrt(2) * max(a.response_error, 0.001)
    assert abs(a.corrected - plain.corrected) < 4 * np.sqrt(2) * a.corrected_error
    scores = a.predictions["score"].to_numpy()
    assert a.predictions["row"].tolist() == test.tolist()
    assert a.observed == roc_auc_score(y[test] == "yes", scores)
    assert a.prediction_p == prediction_test(scores, y[test], c[test], seed=3).p
    weighted = reweighted_metric(y[test], scores, c[test], seed=3)
    assert np.allclose((a.reweighted, *a.reweighted_interval), (weighted.value, weighted.low, weighted.high))
    assert a.confounding_p == max(a.association_p, a.prediction_p)


def test_the_observed_metric_is_that_of_scikit_learn(data, options):
    cv = StratifiedKFold(4, shuffle=True, random_state=2)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.5))
    a = audit(data, **options | {"learner": model, "cv": cv, "permutations": 3, "metric": ["auc", "accuracy"]})
    X, y = data[["a", "b", "c"]], (data["ill"] == "yes").astype(int)
    for answer, scoring in zip(a.metrics, ("roc_auc", "accuracy"), strict=True):
        expected = cross_val_score(model, X, y, cv=cv, scoring=scoring).mean()
        assert answer.observed == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("changed", [{}, {"cv": 4}, {"groups": "subject"}, {"confounders": ["sex", "age"]}])
def test_neither_jobs_nor_column_order_matter(data, options, changed):
    options = options | changed | {"permutations": 150}
    one = audit(data, **options)
    two = audit(data[list(data.columns[::-1])], **options | {"n_jobs": 2})
    assert numbers(one) == numbers(two)
    assert np.array_equal(one.metrics[0].restricted, two.metrics[0].restricted)


def as_split(data):
    return data.assign(part=["train", "test"] * 60)


@pytest.mark.parametrize(
    ("made", "roles"),
    [
        (None, {"confounders": lambda d: d["sex"]}),
        (None, {"confounders": lambda d: d[["sex"]], "response": lambda d: d[["ill"]]}),
        (as_split, {"split": "part"}),
        (as_split, {"split": lambda d: d["part"]}),
        (lambda d: d.set_axis(range(4), axis=1), {"response": 3, "confounders": 2}),
        (lambda d: d.set_axis(range(4), axis=1), {"response": 3, "confounders": [2]}),
        (
            lambda d: d.set_axis(pd.MultiIndex.from_product([["u", "v"], ["x", "y"]]), axis=1),
            {"response": ("v", "y"), "confounders": ("v", "x")},
        ),
    ],
)
def test_a_column_with_another_role_is_no_feature(data, options, made, roles):
    table = data[["a", "b", "sex", "ill"]]
    plain = audit(
        as_split(table), **options | {"features": ["a", "b"]} | ({"split": "part"} if made is as_split else {})
    )
    table = made(table) if made else table
    roles = {name: role(table) if callable(role) else role for name, role in roles.items()}
    a = audit(table, **options | {"features": None} | roles)
    assert len(a.features) == 2
    assert numbers(a) == numbers(plain)
    assert a.notes == plain.notes


def test_vectors_without_names_take_no_feature_away(data):
    plain = {"confounders": data["sex"].to_numpy(), "response": data["ill"].tolist(), "permutations": 2}
    for role in ("response", "groups", "confounder"):
        named = data[["a", "b", "c"]].set_axis(["a", "b", role], axis=1)
        assert audit(named, **plain, groups=np.arange(120)).features == ("a", "b", role)


def test_a_vector_with_the_name_of_another_column_is_noted(data, options):
    plain = options | {"features": None, "permutations": 2}
    table = data[["a", "b", "sex", "ill"]]
    a = audit(table.assign(age=data["age"] / 10), **plain | {"confounders": data["age"], "groups": None})
    assert a.features == ("a", "b", "sex")
    assert any("Column 'age' is no feature, because other values with its name were given" in note for note in a.notes)
    same = audit(table, **plain | {"confounders": table["sex"].astype("category")})
    assert same.features == ("a", "b")
    assert not any("no feature" in note for note in same.notes)
    both = audit(data, **plain | {"features": ["a", "sex"]})
    assert any("'sex' is also a feature" in note for note in both.notes)


def test_confounders_in_bins_are_bins_in_every_test(data, options):
    binned = pd.cut(data["age"], [-np.inf, 45, 55, np.inf], right=False, labels=["young", "middle", "old"])
    one = audit(data, **options | {"confounders": {"age": {"breaks": [45, 55]}}})
    other = audit(data.assign(age=binned), **options | {"confounders": "age"})
    assert numbers(one) == numbers(other)
    assert one.by_confounder["kind"].tolist() == ["categorical"]
    assert audit(data, **options | {"confounders": "age"}).by_confounder["kind"].tolist() == ["numeric"]


def test_groups_come_with_the_claim_of_a_record_wise_split(data, options):
    a = audit(data, **options | {"groups": "subject", "cv": 4})
    naive = audit(data, **options | {"cv": 4})
    assert a.record_wise.observed == naive.observed
    assert a.record_wise.response_p == naive.response_p
    assert a.record_wise.observed_interval == naive.observed_interval
    assert naive.record_wise is None
    assert a.counts["groups"] == 40


def test_confounders_of_both_kinds_with_groups(data, options):
    """The site varies within subjects, the sex does not: each is tested in its own way."""
    data["ill"] = np.where(np.random.default_rng(2).random(120) < 0.5, "yes", "no")
    a = audit(data, **options | {"groups": "subject", "confounders": ["sex", "site"]})
    table = a.by_confounder.set_index("confounder")
    for name in ("sex", "site"):
        alone = audit(data, **options | {"groups": "subject", "confounders": name})
        assert table.loc[name, "prediction_p"] == alone.prediction_p
        assert table.loc[name, "association_p"] == alone.association_p


def test_adjustments_in_folds(data, options):
    plain = audit(data, **options | {"cv": 3})
    for name in ("residuals", "weighting", "resampling"):
        a = audit(data, **options | {"cv": 3, "adjustment": name})
        assert a.counts["dropped"] == 0
        assert a.observed != plain.observed
    matched = audit(data, **options | {"cv": 3, "adjustment": "matching"})
    assert matched.counts["rows"] + matched.counts["dropped"] == 120 > matched.counts["rows"]
    assert matched.association_p > 0.5
    assert matched.adjustment.startswith("matching")


def test_regression_and_several_classes(data, options):
    a = audit(data, **options | {"response": "age", "learner": "linear_regression", "metric": ["r2", "mae"], "cv": 3})
    assert a.kind == "numeric"
    assert a.classes is None
    assert not a.metrics[1].larger_is_better
    b = audit(data, **options | {"response": "site", "metric": ["accuracy", "auc"]})
    assert b.kind == "several classes"
    assert b.classes == ("u", "v", "w")
    assert list(b.predictions.columns) == ["row", "fold", "response", "score u", "score v", "score w"]


def test_results_do_not_depend_on_the_unit_of_the_response(data, options):
    changed = {"response": "out", "learner": "linear_regression", "metric": "mse"}
    data["out"] = data["a"] + data["b"]
    one, *others = (audit(data.assign(out=data["out"] * k), **options | changed) for k in (1.0, 2.0**-24, 2.0**40))
    for other, k in zip(others, (2.0**-24, 2.0**40), strict=True):
        assert other.response_p == one.response_p == 1 / 20
        assert other.corrected == pytest.approx(one.corrected * k**2)
        assert other.notes == one.notes


def test_features_that_are_constant_within_groups_are_noted(data, options):
    """The response varies within groups, so that it is permuted within them, and the predictions do not change."""
    data["id"] = np.arange(120) // 4
    data["a"] = data.groupby("id")["a"].transform("mean")
    data["sex"] = data.groupby("id")["sex"].transform("first")
    a = audit(data, **options | {"features": ["a"], "groups": "id", "learner": "feature"})
    assert a.response_p == 1
    assert any("No permutation changes the metric" in note for note in a.notes)


def test_sensitivity_to_the_split(data, options):
    a = audit(data, **options, sensitivity=2)
    others = [audit(data, **options, seed=seed) for seed in (1, 2)]
    assert a.sensitivity["treatment"].tolist() == ["split of seed 1", "split of seed 2"]
    assert a.sensitivity["observed"].tolist() == [other.observed for other in others]
    # the same predictions, with the permutations of another seed
    expected = pytest.approx([other.confounding_p for other in others], abs=5 * np.sqrt(0.25 / 9999))
    assert a.sensitivity["confounding_p"].tolist() == expected
    text = " ".join(str(a).split())
    assert "2 other random splits: AUC" in text
    assert audit(data, **options).to_frame().equals(a.to_frame())
    split = (np.arange(60), np.arange(60, 120))
    with pytest.raises(ValueError, match="sensitivity draws other random splits; leave it out"):
        audit(data, **options, split=split, sensitivity=1)


def test_an_empty_cell_leaves_the_rest_of_the_answer(data, options):
    data.loc[data["ill"] == "yes", "site"] = "u"
    data.loc[data["ill"] == "no", "site"] = np.where(np.arange((data["ill"] == "no").sum()) % 2, "u", "v")
    a = audit(data, **options | {"confounders": "site"})
    assert np.isnan(a.reweighted)
    assert "no row has ill = 'yes', site = 'v'" in a.to_dict()["reweighted_reason"]
    assert "No value for the same mix of confounders" in " ".join(str(a).split())
    assert 0 < a.response_p <= 1


def test_other_forms(data, options):
    a = audit(data, **options | {"metric": ["auc", "accuracy"], "groups": "subject", "confounders": ["sex", "site"]})
    frame, as_json = a.to_frame(), json.loads(json.dumps(a.to_dict(), allow_nan=False))
    assert frame["metric"].tolist() == ["auc", "accuracy"]
    assert frame["observed"][0] == a.observed
    assert as_json["observed"] == a.observed
    assert as_json["by_confounder"][1]["confounder"] == "site"
    assert as_json["seed"] == 0
    assert as_json["record_wise"]["observed"] == a.record_wise.observed
    assert "restricted" not in as_json["paper"]
    assert len(repr(a)) < 250
    assert len(str(a)) < 4000


def test_a_bar_if_asked_and_on_a_terminal_for_long_work(data, options, capsys, monkeypatch):
    audit(data, **options)
    assert capsys.readouterr().err == ""
    audit(data, **options | {"progress": True})
    assert "restricted null" in capsys.readouterr().err
    seen = []
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: True, write=lambda _: 0, flush=lambda: None))
    monkeypatch.setattr(tqdm, "tqdm", lambda **given: seen.append(given) or tqdm.std.tqdm(**given))
    audit(data, **options)
    assert seen
    assert all(one["delay"] >= 2 and not one["disable"] for one in seen)
