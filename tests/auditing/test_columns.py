"""Classes, scores and columns by name: positive class, folds, roles, missing levels, tables of other libraries."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

from permconf import audit, audit_predictions, compare_adjustments, prediction_test, reweighted_metric

N = 240


@pytest.fixture
def scored():
    """Scores that read the site, probabilities of a case, and a fold."""
    rng = np.random.default_rng(8)
    site = rng.integers(0, 2, N)
    ill = rng.random(N) < 0.3 + 0.4 * site
    z = rng.normal(ill + site)
    return pd.DataFrame(
        {
            "score": z,
            "p_case": 1 / (1 + np.exp(1 - z)),
            "site": np.where(site, "north", "south"),
            "code": ill.astype(int),
            "dx": np.where(ill, "case", "control"),
            "fold": np.arange(N) % 3,
        }
    )


@pytest.mark.parametrize("pair", [("control", "case"), ("CN", "AD"), ("no", "maybe"), ("non-case", "case"), (1, 0)])
def test_the_same_scores_have_the_same_answer_whatever_the_classes_are_called(scored, pair):
    table = scored.assign(dx=np.array(pair, object)[scored["code"]])
    options = {"scores": "score", "confounders": "site", "metric": ["auc", "f1"]}
    expected = audit_predictions(scored, response="code", **options)
    found = audit_predictions(table, response="dx", positive=pair[1], **options)
    assert found.positive == pair[1]
    assert f"positive class {pair[1]}" in " ".join(found.summary().split())
    assert found.to_dict()["positive"] == pair[1]
    assert [one.to_row() for one in found.metrics] == [one.to_row() for one in expected.metrics]
    assert found.sign == expected.sign == "inflates"
    other = audit_predictions(table, response="dx", positive=pair[0], **options)
    assert other.observed == pytest.approx(1 - found.observed)
    assert any(f"If larger scores stand for {pair[1]!r}, give positive={pair[1]!r}" in note for note in other.notes)
    if isinstance(pair[0], str):
        assert audit_predictions(table, response="dx", **options).positive == pair[1]
    for function in (prediction_test, reweighted_metric):
        data = (table["score"], table["dx"]) if function is prediction_test else (table["dx"], table["score"])
        named, coded = (function(*data, table["site"], positive=label) for label in (pair[1], pair[0]))
        assert getattr(named, "sign", 0) != getattr(coded, "sign", 1)
        assert getattr(named, "value", 0) != getattr(coded, "value", 1)


def test_a_fitted_model_knows_the_positive_class_too(scored):
    options = {"confounders": "site", "features": ["score"], "metric": ["auc", "f1"], "permutations": 19}
    for learner in ("logistic", LogisticRegression(class_weight={"case": 2, "control": 1}), LogisticRegression()):
        found, other = (
            audit(scored, response="dx", positive=label, learner=learner, **options) for label in ("case", "control")
        )
        assert found.observed == pytest.approx(other.observed, abs=1e-12)
        assert found.metrics[1].observed != pytest.approx(other.metrics[1].observed)
    for wrong, message in (("Case", "no class of response 'dx'; choose 'case' or 'control'"), (1, "no class of")):
        with pytest.raises(ValueError, match=message):
            audit(scored, response="dx", positive=wrong, **options)
    with pytest.raises(ValueError, match="positive names one of two classes, but response 'fold' is of 3 classes"):
        audit(scored, response="fold", positive=1, **options | {"metric": "auc"})


def test_columns_of_scores_are_matched_by_name(scored):
    rng = np.random.default_rng(2)
    y = rng.choice(list("abc"), N)
    P = (y[:, None] == np.array(list("cab"))) + rng.random((N, 3))
    P /= P.sum(axis=1, keepdims=True)
    table = scored.assign(y=y, **{f"score {k}": P[:, j] for j, k in enumerate("cab")})
    options = {"response": "y", "confounders": "site", "metric": "accuracy"}
    names = [f"score {k}" for k in "cab"]
    assert audit_predictions(table, scores=names, **options).observed == 1
    assert audit_predictions(table, scores=pd.DataFrame(P, columns=list("cab")), **options).observed == 1
    assert audit_predictions(table, scores=P[:, [1, 2, 0]], **options).observed == 1
    with pytest.raises(ValueError, match="scores have no column for class 'b'"):
        audit_predictions(table, scores=pd.DataFrame(P, columns=["c", "a", "x"]), **options)
    named = audit_predictions(scored, scores="p_case", response="dx", confounders="site", positive=None)
    assert (named.positive, named.observed > 0.5) == ("case", True)
    both = scored.assign(control=1 - scored["p_case"])
    pair = audit_predictions(both, scores=["p_case", "control"], response="dx", confounders="site", metric="brier")
    assert pair.observed == pytest.approx(np.mean((scored["code"] - scored["p_case"]) ** 2))


def test_folds_of_predictions_made_elsewhere(scored):
    shifted = scored.assign(score=scored["score"] + 10 * scored["fold"])
    options = {"scores": "score", "response": "dx", "confounders": "site"}
    found, pooled = audit_predictions(shifted, folds="fold", **options), audit_predictions(shifted, **options)
    parts = [audit_predictions(shifted[shifted["fold"] == k], **options).observed for k in range(3)]
    assert found.observed == pytest.approx(np.mean(parts))
    assert found.observed > pooled.observed + 0.1
    assert found.prediction_p < 0.05
    assert sorted(found.predictions["fold"].unique()) == [0, 1, 2]
    pd.testing.assert_series_equal(found.predictions["score"], shifted["score"])
    uneven = np.where(np.arange(N) < N - 12, 0, 1 + np.arange(N) % 4)  # one large fold, four of three rows
    small = audit_predictions(scored, folds=uneven, **options)
    counted = small.headline.estimates.observed.value
    assert small.difference.value == pytest.approx(counted - small.reweighted, abs=1e-12)
    (note,) = [note for note in small.notes if "is the mean over test sets" in note]
    for value in (small.observed, counted):
        assert f"{value:.3f}".lstrip("0") in note
    assert not any("mean over test sets" in note for note in found.notes)


def test_roles_and_missing_levels(scored):
    table = scored.assign(age=np.linspace(20, 80, N), ward=[1.0, 2.0, np.nan] * (N // 3))
    stated = {"site": "levels", "age": {"role": "mediator", "quantiles": 4}, "ward": {"missing": "level"}}
    found = audit_predictions(table, scores="score", response="dx", confounders=stated)
    assert found.by_confounder["role"].tolist() == ["", "mediator", ""]
    assert found.by_confounder["kind"].tolist() == ["binary", "categorical", "categorical"]
    for spec, message in (
        ({"role": "cuase"}, "unknown role 'cuase', did you mean 'cause'"),
        ({"roles": "cause", "missing": "level"}, "unknown option 'roles' of a confounder, did you mean 'role'"),
        ({"missing": "mean"}, "missing must be 'level', not 'mean'"),
        ({"missing": "level", "treatment": "smooth"}, "can be a level only beside levels or bins"),
    ):
        with pytest.raises(ValueError, match=message):
            audit_predictions(table, scores="score", response="dx", confounders={"ward": spec})
    table["ward"] = ["missing", "b", None] * (N // 3)
    with pytest.raises(ValueError, match="confounder 'ward' has a level 'missing' and missing values; rename that"):
        audit_predictions(table, scores="score", response="dx", confounders={"ward": {"missing": "level"}})


def test_what_a_reader_must_know_about_columns(scored):
    table = scored.assign(patient=np.arange(N) + 1000, copy=scored["code"] * 2.0 + 1, text=scored["dx"].str.upper())
    table = pd.concat([table, table.iloc[:3]], ignore_index=True)
    features = ["score", "patient", "copy", "text"]
    options = {"confounders": "site", "learner": "ridge_logistic", "permutations": 9}
    notes = " ".join(audit(table, response="dx", features=features, **options).notes)
    assert "Feature 'copy' alone predicts dx perfectly" in notes
    assert "Feature 'text' alone predicts dx perfectly" in notes
    notes = " ".join(audit(table.iloc[:N], response="dx", features=["score", "patient"], **options).notes)
    assert "Feature 'patient' looks like an identifier" in notes
    assert "same features" not in notes
    notes = " ".join(audit(table, response="dx", features=["score"], **options).notes)
    assert "3 rows have the same features as an earlier row" in notes
    typed = scored.assign(site=np.array(["01", "1", "Rome", "rome ", "0", ""])[np.arange(N) % 6])
    notes = " ".join(audit_predictions(typed, scores="score", response="dx", confounders="site").notes)
    for pair in ("'01' and '1'", "'Rome' and 'rome '"):
        assert f"Confounder 'site' has the levels {pair}, which differ in case, blanks or leading zeros only" in notes
    assert notes.count("make them one") == 2
    grade = pd.Categorical(["mild", "severe", "none"] * (N // 3), ["none", "mild", "severe"], ordered=True)
    notes = audit(table.iloc[:N].assign(grade=grade), response="grade", features=["score"], **options).notes
    assert any("The order of the classes of grade is not used" in note for note in notes)
    with pytest.raises(ValueError, match="a response of a time and an event cannot be audited"):
        audit(table, response=["score", "code"], **options)


def test_a_number_of_each_subject_is_no_copy_of_the_response(rng):
    """With six rows of each of 60 subjects, their ages were levels that "predict dx perfectly"."""
    subject = np.repeat(np.arange(60), 6)
    age, dx = rng.normal(50, 10, 60), np.arange(60) % 2
    table = pd.DataFrame({"subject": subject, "age": age[subject], "dx": dx[subject], "score": rng.normal(size=360)})
    options = {"scores": "score", "response": "dx", "groups": "subject"}
    assert "perfectly" not in " ".join(audit_predictions(table, confounders="age", **options).notes)
    notes = audit_predictions(table.assign(copy=2 * table["dx"]), confounders=["age", "copy"], **options).notes
    assert "Confounder 'copy' alone predicts dx perfectly" in " ".join(notes)


def test_tables_of_other_libraries_keep_their_names(scored):
    options = {"scores": "score", "response": "dx", "confounders": "site"}
    expected = audit_predictions(scored, **options).to_dict()
    assert audit_predictions(pa.Table.from_pandas(scored), **options).to_dict() == expected


def test_training_rows_that_a_splitter_repeats_are_kept(scored):
    rng = np.random.default_rng(4)
    drawn, test = rng.integers(0, 160, 160), np.arange(160, N)
    options = {"response": "code", "confounders": "site", "features": ["score"], "permutations": 9, "metric": "brier"}
    a = audit(scored, cv=[(drawn, test)], **options)
    X, y = scored[["score"]].to_numpy(), scored["code"].to_numpy()
    p = LogisticRegression(C=np.inf, tol=1e-10).fit(X[drawn], y[drawn]).predict_proba(X[test])[:, 1]
    assert a.observed == pytest.approx(np.mean((p - y[test]) ** 2), abs=1e-6)


def test_rng_beside_seed_and_names_that_are_almost_right(scored):
    options = {"response": "dx", "confounders": "site", "features": ["score"], "permutations": 9}
    with pytest.raises(TypeError, match="has no argument 'learnr', did you mean 'learner'"):
        audit(scored, **options, learnr=1)
    assert audit(scored, **options, rng=3, n_jobs=None).to_dict() == audit(scored, **options, seed=3).to_dict()
    one, other = (audit(scored, **options, rng=np.random.default_rng(1)) for _ in range(2))
    assert one.to_dict() == other.to_dict()
    with pytest.raises(TypeError, match="takes seed or rng, not both"):
        audit(scored, **options, rng=3, seed=3)
    table = compare_adjustments(scored, adjustments=["none", "none"], rng=np.random.default_rng(1), **options)
    assert table["observed"].nunique() == 1
    for alternative in ("less", "one-sided", "greater"):
        with pytest.raises(ValueError, match=r"; choose from two-sided, inflates, masks"):
            prediction_test(scored["score"], scored["dx"], scored["site"], alternative=alternative)
