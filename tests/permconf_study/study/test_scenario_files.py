"""Scenarios that take over others (`like`), and files that define many (`grid`)."""

import pytest
import yaml

from permconf.errors import ConfigError
from permconf_study.paper.tables.arena import LEARNERS, METHODS, OF_NUMBERS, SETTINGS
from permconf_study.study.configuration import study_title
from permconf_study.study.scenario import load_scenarios
from permconf_study.study.scenario_like import merged

SHARED_STREAMS = {
    **{f"exp{k}": [f"exp{k}_forest", f"exp{k}_stratified"] for k in (2, 4)},
    **{
        f"exp{k}": [f"exp{k}_forest", f"exp{k}_stratified"]
        + [f"adjust_exp{k}_{method}" for method in ("matching", "resampling", "residuals", "weighting")]
        for k in (1, 3)
    },
    **{f"exp5{k}": [f"exp5{k}_forest"] for k in "ab"},
    "continuous_10bins": [f"continuous_{k}bins" for k in (2, 3, 4, 5)],
    "nonlinear_5bins": ["nonlinear_2bins"],
    "fig04": ["fig04_1000_permutations"],
    "fig05_redraws": ["fig05_redraws_linear"],
    "fig06_redraws": ["fig06_redraws_neighbours"],
    "section4_development": ["section4_baseline", "section4_forest_baseline", "section4_forest_development"],
    "section4_redraws_development": ["section4_redraws_baseline"],
    "stress_age_sex_smooth": ["stress_age_sex_10bins", "stress_age_sex_5bins"],
    "stress_effects_smooth": ["stress_effects_10bins", "stress_effects_5bins"],
    "stress_cy_cx_yx": ["stress_inner_12"],
    "stress_cy_cx": ["stress_inner_12_cy_cx"],
    "stress_cy_cx_yx_negative": ["stress_inner_12_negative"],
    "stress_regression_10": ["stress_regression_20"],
    **{
        f"sister_{links}": [f"sister_{links}_{learner}" for learner in ("logistic", "forest")]
        for links in (f"{c}_{y}" for c in ("none", "weak", "moderate", "strong") for y in ("no", "yes"))
    },
    **{
        f"arena_{setting}": [f"arena_{setting}_{learner}_{one}" for learner in LEARNERS for one in METHODS | OF_NUMBERS]
        for setting in SETTINGS
    },
    "two_confounders": ["two_confounders_one_known"],
    "unneeded_none": ["unneeded_residuals"],
}
STUDY = {
    "title": "{learner}, n = {n}, beta = {beta}",
    "grid": {
        "learner": ["logistic", {"name": "random_forest", "trees": 5}],
        "n": [100, 200, 400],
        "beta": [0, 0.5],
    },
}


@pytest.fixture
def study(exp1):
    """A study of 2 learners, 3 sizes and 2 effects."""
    data = exp1["data"] | {"parameters": exp1["data"]["parameters"] | {"n": 100, "beta": 0}, "datasets": 40}
    return {"data": data, "learner": "logistic", "metrics": ["auc"]} | STUDY


def test_streams_of_published_results_keep_their_names(scenarios):
    shared = {name: stream for stream, names in SHARED_STREAMS.items() for name in names}
    assert {name: s["stream"] for name, s in scenarios.items()} == {name: shared.get(name, name) for name in scenarios}


# ---------------------------------------------------------------- like


def test_data_like_those_of_another_scenario(load, exp1):
    data = {"like": "first", "datasets": 50, "parameters": {"n": 300}, "hypercube": "random"}
    scenarios = load(first=exp1, second=exp1 | {"data": data}, third=exp1 | {"data": "second"})
    first, second, third = (scenarios[name] for name in ("first", "second", "third"))
    assert second["stream"] == third["stream"] == "second"
    assert second["data"] == third["data"]
    assert (second["datasets"], second["data"]["hypercube"]) == (50, "random")
    assert second["data"]["parameters"] == first["data"]["parameters"] | {"n": 300}
    assert list(second["data"]["parameters"]) == list(first["data"]["parameters"])
    assert first["data"]["hypercube"] == "optimised"
    assert load(second=exp1 | {"data": {"like": "first"}})["second"]["datasets"] == 1000


def test_a_whole_scenario_is_taken_over_but_for_what_it_says_of_itself(load, exp1):
    first = exp1 | {"description": "d", "group": "paper", "permutations": 30}
    changed = {"title": "{title}, again", "like": "first", "learner": "lda"}
    second = load(first=first, second=changed)["second"]
    assert (second["title"], second["learner"], second["permutations"]) == (f"{exp1['title']}, again", "lda", 30)
    assert (second["group"], second.get("description")) == ("extension", None)
    assert (second["stream"], second["truth"]) == ("first", exp1["truth"])


def test_changed_data_are_new_and_have_no_known_truth(load, exp1):
    changed = {"title": "t", "like": "second", "data": {"parameters": {"beta": 0}}}
    third = load(first=exp1, second={"title": "t", "like": "first"}, third=changed)["third"]
    assert (third["stream"], third["data"]["parameters"]["beta"]) == ("third", 0)
    assert "truth" not in third


def test_changes_are_merged_and_alternatives_replaced():
    base = {
        "data": {"parameters": {"n": {"range": [1, 2]}, "beta": 1}, "rows": [{"a": 1}]},
        "confounder": {"quantiles": 3},
        "learner": "random_forest",
        "split": {"name": "first", "train_size": 5},
        "predictions": {"permutations": 9, "bins": 2},
    }
    changes = {
        "data": {"parameters": {"n": {"values": [3]}, "beta": None}, "rows": [{"b": 1}]},
        "confounder": {"breaks": [1]},
        "learner": {"trees": 7},
        "split": {"name": "half"},
        "predictions": {"bins": None},
    }
    assert merged(base, changes) == {
        "data": {"parameters": {"n": {"values": [3]}}, "rows": [{"b": 1}]},
        "confounder": {"breaks": [1]},
        "learner": {"name": "random_forest", "trees": 7},
        "split": {"name": "half"},
        "predictions": {"permutations": 9},
    }
    nothing = {"name": "sklearn.tree.DecisionTreeClassifier", "max_depth": None}
    assert merged(base, {"learner": nothing})["learner"] == nothing


def test_parameters_that_rows_would_hide_are_refused(load, exp1):
    rows = exp1 | {"data": exp1["data"] | {"rows": [{"beta": 0, "theta": 1}, {"beta": 1, "theta": 0}]}}
    given = {"like": "first", "parameters": {"beta": 2}}
    with pytest.raises(ConfigError, match=r"x.yaml: data.parameters changes 'beta', but data.rows sets it"):
        load(first=rows, x=exp1 | {"data": given})
    load(first=rows, x=exp1 | {"data": given | {"rows": [{"theta": 1}]}})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": {"like": "frst"}}, "x.yaml: data.like names no scenario: 'frst', did you mean 'first'?"),
        ({"data": {"like": "x"}}, "x.yaml: like and data lead back to it: x, x"),
        ({"like": "frst"}, "x.yaml: like names no scenario: 'frst', did you mean 'first'?"),
        ({"like": "first", "lerner": "lda"}, "x.yaml: unknown key 'lerner', did you mean 'learner'?"),
        ({"lik": "first"}, "x.yaml: unknown key 'lik', did you mean 'like'?"),
        ({"data": {"datasets": 5}}, "x.yaml: key 'generator' is missing in data"),
        ({"like": "first", "data": {"datasets": None}}, "x.yaml: key 'datasets' is missing in data"),
        ({"like": "first", "data": {"per_cell": 5}}, "x.yaml: data gives datasets and per_cell; leave one of them out"),
        ({"data": {"like": "first", "parameters": {"betta": 1}}}, "unknown parameter 'betta', did you mean 'beta'?"),
        ({"data": {"like": "fixed", "hypercube": "random"}}, "but no parameter is given by range or integers"),
        ({"data": {"like": "first", "datasets": 5, "stream": "a/b"}}, "data.stream must be a name of letters, digits"),
        ({"name": "x_{n}"}, "x.yaml: name is for files with a grid"),
    ],
)
def test_wrong_references_are_named(load, exp1, changes, message):
    numbers = {"n": 200, "p11": 0.4, "p10": 0.1, "p01": 0.1, "p00": 0.4, "beta": 1, "theta": 1, "rho": 0.5}
    fixed = exp1 | {"data": exp1["data"] | {"parameters": numbers}}
    with pytest.raises(ConfigError) as caught:
        load(first=exp1, fixed=fixed, x=({"title": "t"} if "like" in changes else exp1) | changes)
    assert message in str(caught.value)
    assert str(caught.value).startswith("x.yaml: ")


# ---------------------------------------------------------------- grid


def test_a_grid_is_a_family_of_scenarios(load, study):
    scenarios = load(study=study)
    assert len(scenarios) == 12
    one = scenarios["study_random_forest_200_0p5"]
    assert one["title"] == "random_forest, n = 200, beta = 0.5"
    assert one["learner"] == {"name": "random_forest", "trees": 5}
    svm, labels = {"name": "sklearn.svm.SVC", "C": 2.0}, {"none": 0, "some": 0.5}
    labelled = load(study=study | {"grid": study["grid"] | {"learner": [svm], "beta": labels}})["study_SVC_200_none"]
    assert (labelled["title"], labelled["cell"]["beta"]) == ("SVC, n = 200, beta = none", 0)
    assert labelled["labels"] == {"learner": {}, "n": {}, "beta": {0: "none", 0.5: "some"}}
    assert (one["data"]["parameters"]["n"], one["data"]["parameters"]["beta"]) == (200, 0.5)
    assert (one["family"], one["cell"]) == ("study", {"learner": "random_forest", "n": 200, "beta": 0.5})
    assert {scenario["datasets"] for scenario in scenarios.values()} == {40}
    assert [study_title(name, scenarios) for name in ("study", "arena")] == ["study", "arena"]  # a group has no title


def test_learners_share_the_data_sets_of_a_cell(load, study):
    streams = {name: scenario["stream"] for name, scenario in load(study=study).items()}
    assert streams["study_random_forest_200_0p5"] == streams["study_logistic_200_0p5"] == "study_200_0p5"
    assert len(set(streams.values())) == 6
    by_learner = load(study=study | {"title": "t", "name": "{learner}", "grid": {"learner": ["lda", "logistic"]}})
    assert [scenario["stream"] for scenario in by_learner.values()] == ["study", "study"]


def test_growth_in_any_direction_changes_no_scenario(load, study):
    """Values before the others, and a variable whose present value gets no label."""
    before = load(study=study)
    grid = study["grid"]
    grown = {
        "learner": ["lda", *grid["learner"]],
        "n": [50, *grid["n"]],
        "beta": grid["beta"],
        "rho": {"": {"range": [0.2, 0.8]}, "high": 0.9},
        "adjustment": {"": "none", "residuals": "residuals"},
    }
    after = load(study=study | {"grid": grown})
    assert len(after) == 3 * 4 * 2 * 2 * 2
    for name, scenario in before.items():
        own = {"cell": {}, "labels": {}, "place": 0}  # no result depends on them
        assert after[name] | own == scenario | own
    assert after["study_lda_50_0_high_residuals"]["stream"] == "study_50_0_high"


def test_variables_are_keys_parts_of_keys_parameters_and_named_changes(load, study):
    grid = {
        "split.test_size": [20, 40],
        "rho": {"mid": {"range": [0.4, 0.6]}},
        "links": {"none": None, "both": {"data": {"parameters": {"theta": 0.7}}, "truth": {"response": False}}},
    }
    given = {"name": "s{test_size}_{links}_{rho}", "grid": grid, "title": "{links}", "split": "stratified"}
    scenarios = load(study=study | given | {"truth": {"response": True, "confounding": True}})
    assert list(scenarios) == ["s20_both_mid", "s20_none_mid", "s40_both_mid", "s40_none_mid"]
    both = scenarios["s40_both_mid"]
    assert both["split"] == {"name": "stratified", "test_size": 40}
    assert both["truth"] == {"response": False, "confounding": True}
    assert (both["data"]["parameters"]["theta"], both["data"]["parameters"]["rho"]) == (0.7, {"range": [0.4, 0.6]})
    assert both["cell"] == {"test_size": 40, "rho": "mid", "links": "both"}
    assert (both["title"], both["stream"]) == ("both", "s_both_mid")


def test_a_grid_over_other_scenarios_uses_their_data_sets(load, exp1):
    family = {"title": "{title} by {like}", "name": "{like}_lda", "grid": {"like": ["a", "b"]}, "learner": "lda"}
    scenarios = load(a=exp1, b=exp1 | {"title": "B"}, family=family)
    assert (scenarios["b_lda"]["stream"], scenarios["b_lda"]["title"]) == ("b", "B by b")


def test_conditions_leave_combinations_out_and_change_no_other(load, study):
    before = load(study=study)
    after = load(study=study | {"leave_out": ["learner == 'random_forest' and n in (50, 200)", "n == 400"]})
    left_out = {name for name in before if "400" in name or "random_forest_200" in name}
    assert after.keys() == before.keys() - left_out
    assert all(one | {"place": 0} == before[name] | {"place": 0} for name, one in after.items())


def test_data_sets_per_cell_are_multiplied(load, study):
    values = {"theta": {"values": [0, 1, 2]}}
    data = study["data"] | {"parameters": study["data"]["parameters"] | values, "per_cell": 7}
    data.pop("datasets")
    assert {scenario["datasets"] for scenario in load(study=study | {"data": data}).values()} == {21}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grid": 5}, "study.yaml: grid must be a mapping of variables to their values, not 5"),
        ({"grid": {"n": 5}}, "study.yaml: grid.n must be a list of values, or a mapping of labels to values, not 5"),
        ({"grid": {"lerner": ["lda"]}}, "study.yaml: grid.lerner is no key of a scenario, and 'lda' is no parameter"),
        ({"grid": {"m": [1]}}, "study.yaml (study_1): data.parameters: unknown parameter 'm'"),
        ({"grid": {"confounder": [{"quantiles": 2}]}}, "grid.confounder needs a label for {'quantiles': 2}"),
        ({"grid": {"n": [100, 100]}}, "study.yaml: grid.n needs a label for 100: give a mapping of labels to values"),
        (
            {"grid": {"n": [*range(101)], "beta": [*range(100)]}},
            "study.yaml: grid has 10100 combinations, more than 10000",
        ),
        ({"grid": {"n": {"a b": 100}}}, "study.yaml: 'study_a b': a scenario's name is made of letters"),
        ({"grid": {"n": [100], "data.parameters.n": [100]}}, "study.yaml: grid has two variables 'n'"),
        ({"name": "study_{learnr}"}, "study.yaml: name: 'learnr' is no variable of the grid, did you mean 'learner'?"),
        (
            {"title": "$p_{11}$, {larner}"},
            "study.yaml: title: 'larner' is no variable of the grid, did you mean 'learner'",
        ),
        ({"figure": {"of": ["respons"]}}, "figure.of: the study has no test 'respons', did you mean 'response'?"),
        ({"figure": {"y": "bias", "of": ["response"]}}, "the study has no estimator 'response'"),
        ({"name": "s_{n}"}, "study.yaml: name 's_{n}' calls two scenarios 's_100'; name every variable in it"),
        ({"grid": {"a": {"b": {"name": "x"}}}}, "study.yaml: grid.a.b cannot have the key 'name'"),
        ({"leave_out": "m > 1"}, "study.yaml: leave_out: 'm > 1': unknown name 'm'; choose from beta, learner, n"),
        ({"leave_out": "learner > 1"}, "study.yaml: leave_out: 'learner > 1' takes a text for a number"),
        ({"leave_out": ["n > 1"]}, "study.yaml: leave_out leaves no combination of the grid"),
        ({"reference": {"n": "100"}}, "reference: the grid has no cell with n '100'; choose from n: 100, 200, 400"),
        (
            {"leave_out": "beta == 0", "reference": {"n": 200, "beta": 0}},
            "study.yaml (study_logistic_100_0p5): reference: the grid has no cell with n 200 and beta 0; choose from",
        ),
        ({"data": {"stream": "s"}}, "data.stream 's' is that of 'study_logistic_100_0', whose data differ"),
    ],
)
def test_wrong_grids_are_named(load, study, changes, message):
    data = study["data"] | changes.get("data", {})
    with pytest.raises(ConfigError) as caught:
        load(study=study | {"title": "t"} | changes | {"data": data})
    assert message in str(caught.value)


# ---------------------------------------------------------------- files


def test_files_in_folders_are_found_and_other_files_are_not(load, exp1, tmp_path):
    for place in ("one/a.yaml", "two/b.yaml", ".hidden/c.yaml", "results/plan.yaml", "one/deep/d.yaml"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(yaml.safe_dump(exp1))
    scenarios = load(e=exp1)
    assert list(scenarios) == ["a", "b", "e"]
    assert scenarios["a"]["file"] == str(tmp_path / "one/a.yaml")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("two/a.yaml", "two/a.yaml: the name 'a' is also that of a scenario or file in one/a.yaml"),
        ("two/f.yaml", "two/f.yaml: the name 'a' is also that of a scenario or file in one/a.yaml"),
    ],
)
def test_a_name_is_defined_once(exp1, tmp_path, other, message):
    family = exp1 | {"name": "{learner}", "grid": {"learner": {"a": "lda"}}}
    for place, content in (("one/a.yaml", exp1), (other, family if "f" in other else exp1)):
        (tmp_path / place).parent.mkdir()
        (tmp_path / place).write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigError) as caught:
        load_scenarios(tmp_path, {})
    assert str(caught.value) == message
