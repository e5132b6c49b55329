"""A scenario costs those that do not use it nothing; when it grows or changes, it costs the new part."""

import copy

import pandas as pd
import pytest
import yaml

TABLE = "results/cheap/tests.parquet"
FIGURE = "figures/scenarios/cheap.pdf"


@pytest.fixture(scope="module")
def finished(project, cheap):
    """A finished run of 1,000 data sets, in chunks of 500."""
    cheap = copy.deepcopy(cheap) | {"chunk": 500}
    cheap["data"]["datasets"] = 1000
    project.write("cheap", cheap)
    project.write("other", cheap | {"title": "another"})
    project.snakemake(FIGURE, "results/other/curves.csv")
    return cheap


@pytest.fixture
def grown(project, finished):
    """The scenario of the finished run, as it was."""
    project.write("cheap", finished)
    return copy.deepcopy(finished)


def test_another_learner_or_metric_reuses_designs_and_data(project, grown):
    analysis = {"permutation_nulls": 2, "aggregate": 1, "scenario_figure": 1}
    project.write("cheap", grown | {"learner": "linear_regression", "split": "half"})
    assert project.planned(FIGURE) == analysis
    project.write("cheap", grown | {"metrics": ["mse"]})
    assert project.planned(FIGURE) == analysis


def test_editing_one_scenario_re_runs_only_that_one(project, grown):
    grown["data"]["parameters"]["beta_xy"] = 0.25
    project.write("cheap", grown)
    assert project.planned("results/other/curves.csv") == {}
    assert project.planned(FIGURE)["design"] == 1
    project.write("cheap", grown | {"title": "a new title"})
    grown["data"]["parameters"]["beta_xy"] = 0.5
    project.write("cheap", grown | {"title": "a new title"})
    assert project.planned(FIGURE) == {"scenario_figure": 1}


@pytest.mark.usefixtures("grown")
def test_a_new_scenario_re_runs_nothing(project, cheap):
    project.write("newcomer", cheap)
    assert project.planned(FIGURE, "results/other/curves.csv") == {}
    assert project.planned("scenarios")["scenario_figure"] == 2
    (project.folder / "scenarios/newcomer.yaml").unlink()


def test_a_mistake_is_named_in_one_sentence(project, grown):
    project.write("cheap", yaml.safe_dump(grown).replace("beta_xy", "beta_xyy"))
    done = project.snakemake(FIGURE, check=False)
    assert done.returncode != 0
    sentence = "permconf: cheap.yaml: data.parameters: unknown parameter 'beta_xyy', did you mean 'beta_xy'?"
    assert sentence in (done.stdout + done.stderr).splitlines()
    assert "Traceback" not in done.stdout + done.stderr
    done = project.command("run", FIGURE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{sentence}\n")


def test_a_learner_that_cannot_be_made_is_named_in_one_sentence(project, grown):
    """Snakemake adds a traceback to what a function of a rule raises."""
    project.write("cheap", grown | {"learner": {"name": "sklearn.linear_model.NoSuch"}})
    plain, command = project.snakemake(FIGURE, check=False), project.command("run", FIGURE, check=False)
    project.write("cheap", grown)
    sentence = "permconf: cheap.yaml: learner 'sklearn.linear_model.NoSuch' cannot be created: "
    for done in (plain, command):
        assert done.returncode == 2
        assert (done.stdout + done.stderr).splitlines()[-1].startswith(sentence)
        assert "Traceback" not in done.stdout + done.stderr
    assert len((command.stdout + command.stderr).splitlines()) == 1


def test_data_that_cannot_be_drawn_are_named_before_anything_is_computed(project, grown):
    wrong = copy.deepcopy(grown)
    wrong["data"]["parameters"]["p"] = 2
    project.write("cheap", wrong)
    done = project.command("run", FIGURE, "--dry-run", check=False)
    project.write("cheap", grown)
    sentence = "generator 'linear_confounding' cannot draw data with data.parameters: p must be a probability, not 2"
    assert (done.returncode, done.stdout + done.stderr) == (2, f"permconf: cheap.yaml: {sentence}\n")


# Last, since it changes the finished run.
@pytest.mark.slow
def test_growth_computes_only_the_new_block_and_keeps_the_rows(project, grown):
    assert project.planned(FIGURE) == {}
    first = pd.read_parquet(project.folder / TABLE)
    chunks = sorted(project.folder.glob("results/cheap/chunks/*/*"))
    times = [path.stat().st_mtime_ns for path in chunks]
    grown["data"]["datasets"] = 2000
    project.write("cheap", grown)
    new = {"design": 1, "simulate": 2, "permutation_nulls": 2, "aggregate": 1, "scenario_figure": 1}
    assert project.planned(FIGURE) == new
    project.snakemake(FIGURE)
    both = pd.read_parquet(project.folder / TABLE)
    assert list(both["dataset"]) == list(range(2000))
    pd.testing.assert_frame_equal(both[:1000], first)
    assert not both[1000:]["observed"].isin(first["observed"]).any()
    assert [path.stat().st_mtime_ns for path in chunks] == times
