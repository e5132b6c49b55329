import copy
import itertools
import os
import re

import pytest
import yaml

from permconf.errors import ConfigError
from permconf_study.study.configuration import checked_settings
from permconf_study.study.scenario import DEFAULTS, check_engine, load_scenarios
from permconf_study.study.scenario_checks import check_draws
from permconf_study.study.steps import Steps


def _changed(scenario, path, value):
    """A copy with the value at a dotted path replaced (or removed, for None)."""
    scenario = copy.deepcopy(scenario)
    *parents, last = path.split(".")
    at = scenario
    for key in parents:
        at = at[key]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return scenario


def test_defaults_are_filled_in(load, exp1):
    for key in DEFAULTS:
        exp1.pop(key, None)
    scenario = load(mine=exp1)["mine"]
    assert scenario["split"] == {"name": "half"}
    assert scenario["chunk"] == 1000
    assert scenario["stream"] == "mine"


POPULATION = {
    "name": "population",
    "shares": [{"y": y, "c": c, "share": "1/4"} for y in (0, 1) for c in (0, 1)],
}


def _cells(change):
    """The population split with its first cell changed."""
    first, *others = POPULATION["shares"]
    return POPULATION | {"shares": [first | change, *others]}


def _shuffles(**options):
    return {"algorithm2": {"shuffles": 9} | options}


def test_splits_and_confounder_tests_take_their_options(load, exp1):
    options = {"algorithm2": {"shuffles": 99, "inner": "test_size"}, "conditional": {"shuffles": 9, "bins": 4}}
    scenario = load(mine=exp1 | {"split": POPULATION | {"size": 40}, "confounder_tests": options})["mine"]
    assert scenario["split"]["size"] == 40
    assert scenario["confounder_tests"] == options


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"sede": 1, "seed": 1}, "config.yaml: unknown key 'sede', did you mean 'seed'?"),
        ({}, "config.yaml: key 'seed' is missing"),
        ({"seed": 1, "max_failed": 2}, "config.yaml: max_failed must be a share between 0 and 1, not 2"),
    ],
)
def test_wrong_configuration(config, message):
    with pytest.raises(ConfigError) as caught:
        checked_settings(config)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("learnr", "logistic", "x.yaml: unknown key 'learnr', did you mean 'learner'?"),
        ("learner", None, "x.yaml: key 'learner' is missing"),
        ("learner", "logistik", "x.yaml: unknown learner 'logistik', did you mean 'logistic'?"),
        ("permutations", 1, "x.yaml: permutations must be test_size, 0, or a whole number from 2 to 10000000, not 1"),
        ("permutations", 0, "x.yaml: permutations is 0, and without predictions nothing is tested"),
        ("truth", {"worlds": ["ideal"]}, "truth.worlds: 'ideal' needs the world 'unacting', which generator"),
        ("reference", {"method": 1}, "x.yaml: reference: the grid has no variable 'method'"),
        ("metrics", "auc", "x.yaml: metrics must be a list of metric names, not 'auc'"),
        ("metrics", ["auc", "brier", "auc"], "x.yaml: metrics names 'auc' twice"),
        ("metrics", ["mse"], "x.yaml: metrics: 'mse' is for regression, but the response of generator"),
        ("permutations", 1, "x.yaml: permutations must be"),
        ("split", "halves", "x.yaml: split is 'halves', did you mean 'half'?"),
        ("split", {"name": "half", "size": 5}, "x.yaml: split: 'half' does not take 'size'"),
        ("split", "population", "x.yaml: split: 'population' needs 'shares'"),
        ("split", _cells({"share": "1/3"}), "x.yaml: the shares of the population sum to 1.08333, not to 1"),
        ("split", {"test_size": 50}, "x.yaml: key 'name' is missing in split; it is one of half, first, stratified"),
        (
            "confounder_tests",
            _shuffles(inner=0),
            "algorithm2.inner must be test_size, or a whole number from 1",
        ),
        ("truth.respons", True, "x.yaml: unknown key 'respons' in truth, did you mean 'response'?"),
        ("data.generator", "bernouli_gaussian", "did you mean 'bernoulli_gaussian'?"),
        ("data.parameters.betta", 1, "x.yaml: data.parameters: unknown parameter 'betta', did you mean 'beta'?"),
        ("data.parameters.rho", None, "x.yaml: data.parameters: generator 'bernoulli_gaussian' needs 'rho'"),
        ("data.parameters.p11", {"range": [0.5, 0.6]}, "data.parameters.p01 must be a probability"),
        ("data.parameters.p01", 0.5, "probabilities p11, p10, p01, p00 cannot sum to one (their sum is 1.35 to 1.475)"),
        ("data.parameters.n", {"values": [0, 200]}, "data.parameters.n must be a whole number of rows from 1, not 0"),
        ("data.parameters.n", 3, "data.parameters.n is too small to split: 3"),
        ("data.parameters.n", {"integers": [20, 30]}, "20 leaves 10 training rows for the 11 coefficients"),
        ("data.renormalise", ["p12"], "data.renormalise: unknown parameter 'p12', did you mean 'p11'?"),
        ("data.parameters.n", {"values": list(range(200, 1300))}, "fewer than the 1100 combinations of values"),
        ("learner", "estimator", "x.yaml: unknown learner 'estimator'"),
        ("learner", "sklearn.linear_model.Ridge", "x.yaml: Ridge is for regression, but the response has classes"),
        ("confounder", "smoth", "confounder is 'smoth', did you mean 'smooth'"),
        ("confounder", {"breaks": [2, 1]}, "confounder.breaks must increase: [2, 1]"),
        ("adjustment", {"name": "residuals", "on": "c"}, "adjustment 'residuals'"),
    ],
)
def test_wrong_scenarios_are_named(load, exp1, path, value, message):
    with pytest.raises(ConfigError) as caught:
        load(x=_changed(exp1, path, value))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("x.yaml")
    assert not str(caught.value).rstrip().endswith("choose from")


ROWS = [{"n11": 45, "n10": 5, "n01": 5, "n00": 45}, {"n11": 25, "n10": 25, "n01": 25, "n00": 25, "beta": 0}]
OF_ROWS = {
    "generator": "cell_counts_gaussian",
    "parameters": {"beta": 1, "theta": 0.5, "rho": 0.5},
    "rows": ROWS,
    "datasets": 2,
}
BERNOULLI = {"n": 100, "p10": 0.1, "p01": 0.1, "beta": 0, "theta": 0, "rho": 0}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"rows": []}, "x.yaml: data.rows must be a list of mappings of parameter names to numbers, not []"),
        ({"rows": [*ROWS, {"n12": 3}]}, "x.yaml: data.rows.2: unknown parameter 'n12', did you mean 'n11'?"),
        ({"rows": [ROWS[0], {"n11": 5}]}, "x.yaml: data.rows.1 lacks 'n10', which other rows give"),
        ({"rows": [{"beta": 1}]}, "x.yaml: data.rows.0: generator 'cell_counts_gaussian' needs 'n11'"),
        ({"datasets": 1}, "x.yaml: data.datasets is 1, fewer than the 2 combinations"),
        (
            {"parameters": {"beta": {"equal": "rho"}, "theta": 0.5, "rho": 0.5}},
            "x.yaml: data.rows gives 'beta', which data.parameters derives from others",
        ),
        (
            {
                "generator": "bernoulli_gaussian",
                "parameters": BERNOULLI,
                "rows": [{"p11": 0.4, "p00": 0.4}, {"p11": 0.4, "p00": 0.5}],
            },
            "x.yaml: data.rows.1: probabilities p11, p10, p01, p00 cannot sum to one (their sum is 1.1 to 1.1)",
        ),
        (
            {
                "generator": "bernoulli_gaussian",
                "parameters": BERNOULLI | {"p11": 0.4, "p00": 0.4},
                "rows": [{"n": 100}, {"n": 3}],
            },
            "x.yaml: data.rows.1.n is too small to split: 3",
        ),
    ],
)
def test_rows_that_cannot_be_used_are_named(load, exp1, data, message):
    with pytest.raises(ConfigError) as caught:
        load(x=exp1 | {"data": OF_ROWS | data})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_one_data_set_per_row_keeps_its_number_whatever_the_override(load, exp1):
    for config, datasets, expected in ((20, 2, 2), (20, 50, 20), (1, 50, 2)):
        data = OF_ROWS | {"datasets": datasets}
        assert load({"datasets": config}, x=exp1 | {"data": data})["x"]["datasets"] == expected


LAUGHS = "".join(f"{name}: &{name} [{', '.join([f'*{last}'] * 9)}]\n" for last, name in itertools.pairwise("abcdefgh"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a: 1\ntitle: 2020-13-45",
            "'2020-13-45' in line 2 looks like a number or date but is none; put a text in quotes",
        ),
        (f"title: {'1' * 5001}", "in line 1 looks like a number or date but is none; put a text in quotes"),
        ("title: !!int ''", "'' in line 1 looks like a number or date but is none; put a text in quotes"),
        (f"title: {'[' * 5000}{']' * 5000}", "line 1 is nested more than 30 levels deep"),
        (f"a: &a [x, x]\n{LAUGHS}title: *h", "line 2 has an alias (*a); write it out"),
    ],
    ids=["date", "digits", "tag", "depth", "aliases"],
)
def test_yaml_that_is_no_value_or_explodes_is_refused(load, text, message):
    with pytest.raises(ConfigError) as caught:
        load(x=text)
    assert str(caught.value).startswith("x.yaml is not valid YAML: ")
    assert str(caught.value).endswith(message)


def test_a_scenario_file_is_a_regular_file(load, tmp_path):
    """A pipe would be waited for."""
    os.mkfifo(tmp_path / "x.yaml")
    with pytest.raises(ConfigError, match=r"x\.yaml cannot be read: it is not a regular file"):
        load()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"p": 2}, "p must be a probability, not 2"),
        ({"p": {"uniform": [3, 4]}}, "p must be a probability, not 3."),
        ({"n": {"range": [40, 41]}}, "gave X, y and c with 40, 40 and 40 rows where 40."),
    ],
)
def test_parameters_with_which_no_data_can_be_drawn_are_refused(load, exp1, parameters, message):
    drawn = {"n": 40, "p": 0.5, "beta_xc": {"range": [-1, 1]}, "beta_yc": 0, "beta_xy": {"integers": [0, 1]}}
    data = {"generator": "linear_confounding", "parameters": drawn, "datasets": 40}
    regression = exp1 | {"data": data, "learner": "linear_regression", "metrics": ["mse"]}
    check_draws(load(x=regression)["x"], seed=1)
    check_draws(load(x=_changed(regression, "data.parameters.p", {"values": [2, 0.5]}))["x"], seed=1)  # some fail
    scenario = load(x=_changed(regression, "data.parameters", drawn | parameters))["x"]
    start = "x.yaml: generator 'linear_confounding' cannot draw data with data.parameters: "
    with pytest.raises(ConfigError, match=re.escape(start) + f".*{re.escape(message)}"):
        check_draws(scenario, seed=1)


def test_broken_yaml_and_empty_folders_are_named(load, tmp_path):
    with pytest.raises(ConfigError, match="there is no scenario file"):
        load_scenarios(tmp_path, {})
    with pytest.raises(ConfigError, match=r"bad\.yaml is not valid YAML"):
        load(bad="title: [1, 2")
    with pytest.raises(ConfigError, match=r"bad.yaml must be a mapping of keys to values, not \[1, 2\]"):
        load(bad="[1, 2]")


def test_a_smooth_confounder_has_no_levels(load, exp1):
    for confounder in ("smooth", ["smooth", {"quantiles": 3}, "levels"]):
        assert load(mine=exp1 | {"confounder": confounder})["mine"]["confounder"] == confounder
    for key, value, what in (
        ("adjustment", "matching", "adjustment 'matching'"),
        ("split", "stratified", "split 'stratified'"),
        ("confounder_tests", {"conditional": {"shuffles": 9}}, "confounder_tests.conditional"),
    ):
        with pytest.raises(ConfigError, match=f"mine.yaml: {what} needs levels of the confounder"):
            load(mine=exp1 | {"confounder": "smooth", key: value})


def test_an_adjustment_must_fit_learner_response_and_tests(load, exp1):
    with pytest.raises(ConfigError, match="weights, which the learner does not take"):
        load(mine=exp1 | {"adjustment": "weighting", "learner": "lda"})
    with pytest.raises(ConfigError, match="confounder_tests are not valid after adjustment 'residuals'"):
        load(mine=exp1 | {"adjustment": "residuals", "confounder_tests": {"conditional": {"shuffles": 9}}})
    load(mine=exp1 | {"adjustment": "matching", "confounder_tests": {"conditional": {"shuffles": 9}}})


def test_what_takes_long_to_import_can_be_left_for_later(tmp_path, exp1):
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(exp1 | {"learner": {"name": "logistic", "penalti": 1}}))
    scenario = load_scenarios(tmp_path, {}, engines=False)["mine"]
    with pytest.raises(ConfigError, match=r"mine\.yaml: learner 'logistic'"):
        check_engine(scenario)


def test_scorers_and_estimators_of_estimators_are_accepted(exp1, load):
    """An argument named `estimator` is the estimator's own."""
    tree = {"name": "sklearn.tree.DecisionTreeClassifier", "max_depth": 2}
    learner = {"name": "sklearn.ensemble.BaggingClassifier", "estimator": tree, "n_estimators": 3}
    scenario = load(x=exp1 | {"learner": learner, "metrics": ["auc", "f1_macro", "neg_log_loss"]})["x"]
    check_engine(scenario)
    assert len(Steps({"x": scenario}, {"seed": 1}).fingerprint("permutation_nulls", "x")) == 16
