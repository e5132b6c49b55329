"""Names that people try who know scikit-learn, scipy and pandas: they work, or a sentence names the right word."""

import re

import numpy as np
import pytest

import permconf
from permconf.__main__ import main

WORKS = ""
GUESSES = {  # what people type, and the word that the answer has to name (WORKS: it is no error)
    **dict.fromkeys(
        (
            *("a.plot(ax=ax)", "a.to_frame()", "a.to_json()", "a.methods()", "a.pvalue", "a.predictions", "list(a)"),
            *("a.null_distribution", "a.metrics[0].restricted", "pt.summary()", "pt.to_frame()", "rw.weights"),
            *("rw.confidence_interval", "s.summary()", "s.to_dict()", "permconf.show_versions()"),
        ),
        WORKS,
    ),
    "a.report()": "summary()",
    "a.score": "observed",
    "a.weights": "reweighted_metric",
    "a.n_jobs": "do not depend on it",
    "a.adjusted": "reweighted",
    "pt.z": "by_confounder",
    "rw.ci": "confidence_interval",
    "s.p": "response_p",
    "s.plot()": "audit(...).plot()",
    "permconf.partial_confound_test": "prediction_test",
    "permconf.audit_cv": "cv=5",
    "permconf.list_metrics()": "permconf.registry.names('metrics')",
    "permconf.load": "DataFrame",
}
KEYWORDS = {
    "estimator": "learner",
    "scoring": "metric",
    "random_state": "seed",
    "y": "response",
    "n_splits": "cv",
    "sample_weight": "population=",
}
LEARNERS = {
    "LogisticRegression": "it is called 'logistic' here",
    "SVC": "scikit-learn's is called 'sklearn.svm.SVC'",
    "Nothing": "choose from estimator",
}
OPTIONS = {"--target": "--response", "--model": "--learner", "--scoring": "--metric", "--random-state": "--seed"}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    from matplotlib.figure import Figure

    table = permconf.example()
    y, marker, site = table["ill"], table["marker"], table["site"]
    data = [part[name] for part in (table[:100], table[100:]) for name in (["marker", "volume"], "ill", "site")]
    return {
        "a": permconf.audit(table, response="ill", confounders=["site", "age"], permutations=19),
        "pt": permconf.prediction_test(marker, y, site, permutations=99),
        "rw": permconf.reweighted_metric(y, marker, site, bootstrap=99),
        "s": permconf.assess(*data, permutations=19, rng=1),
        "permconf": permconf,
        "ax": Figure().subplots(),
        "folder": tmp_path_factory.mktemp("saved"),
    }


@pytest.mark.parametrize("guess", GUESSES)
def test_a_name(guess, names):
    if not GUESSES[guess]:
        assert eval(guess, names) is not NotImplemented
        return
    with pytest.raises(AttributeError, match=re.escape(GUESSES[guess])):
        eval(guess, names)


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_a_keyword_of_audit(keyword):
    with pytest.raises(TypeError, match=KEYWORDS[keyword]):
        permconf.audit(permconf.example(), response="ill", confounders="site", **{keyword: 1})


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_learner(learner):
    with pytest.raises(ValueError, match=f"unknown learner '{learner}'; {LEARNERS[learner]}"):
        permconf.audit(permconf.example(), response="ill", confounders="site", learner=learner)


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_the_command(option, capsys):
    assert main(["audit", "x.csv", "--response", "ill", "--confounders", "site", option, "x"]) == 2
    assert f"there is no {option}; it is called {OPTIONS[option]}" in capsys.readouterr().err


def test_other_names_of_a_result_are_the_same_numbers(names):
    a, pt, rw, s = (names[name] for name in ("a", "pt", "rw", "s"))
    assert (a.pvalue, a.confidence_interval) == (a.confounding_p, a.observed_interval)
    assert a["observed"] == a.observed == a.metrics[0].observed == a.to_dict()["observed"]
    assert a["observed_low"] == a.observed_interval[0]
    assert dict(a).keys() == a.to_dict().keys() == set(list(a))
    assert (pt.pvalue, pt["p"]) == (pt.p, pt.p)
    assert rw.confidence_interval == (rw.low, rw.high)
    assert a.overlap.confidence_interval == (a.overlap.low, a.overlap.high)
    assert "weights" not in rw.to_dict()
    assert s.null_distribution is s.restricted
    assert "restricted" not in s.to_dict()
    with pytest.raises(KeyError, match="did you mean 'observed'"):
        a["obseved"]
    with pytest.raises(AttributeError, match="an Audit has no 'obseved', did you mean 'observed'"):
        a.obseved  # noqa: B018


def test_a_summary_shows_numbers_and_tables(names):
    lines = names["pt"].summary().splitlines()
    assert lines[0] == "PredictionTest"
    assert any(line.split() == ["p", f"{names['pt'].p:.4g}"] for line in lines)
    assert lines[-1].split()[0] == "site"
    assert "-" in names["rw"].__class__(*("auc", *[np.nan] * 5, np.ones(2), ())).summary()


@pytest.mark.parametrize("rng", [1, np.random.default_rng(1), None])
def test_rng_is_a_number_a_generator_or_nothing(rng):
    y = permconf.example(40)["ill"]
    assert permconf.standard_shuffle(y, 3, rng=rng).shape == (40, 3)
    c = permconf.example(40)["site"]
    assert permconf.restricted_shuffle(y, c, 3, rng=rng).shape == (40, 3)
    assert 0 < permconf.association_test(y, c, permutations=9, rng=rng).p <= 1
    assert len(permconf.example(4, rng=rng)) == 4


def test_seed_and_rng_stand_for_each_other():
    y = permconf.example(40)["ill"]
    np.testing.assert_array_equal(permconf.standard_shuffle(y, 3, seed=1), permconf.standard_shuffle(y, 3, rng=1))
    with pytest.raises(TypeError, match="takes seed or rng, not both"):
        permconf.standard_shuffle(y, 3, seed=1, rng=1)
