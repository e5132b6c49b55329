"""A result carries what made it: no edit, kill, orphan or copy ends with wrong numbers that are called up to date."""

import os
import shutil

import pandas as pd
import pytest

pytestmark = pytest.mark.slow
TESTS, FIGURE = "results/cheap/tests.parquet", "figures/scenarios/cheap.png"
GENERATOR = """
from permconf.generators import Generator

SHIFT = 1.0


def sample(rng, *, n):
    y, c = rng.standard_normal(n) + SHIFT, rng.integers(0, 2, n)
    return y[:, None], y, c


GENERATOR = Generator(sample, task="regression")
"""


@pytest.fixture(scope="module")
def finished(project, cheap):
    """A finished run of forty data sets in two chunks; the bytes of its tables and figure."""
    project.write("cheap", cheap | {"chunk": 20})
    project.snakemake(FIGURE)
    return files(project)


def files(project):
    paths = [*project.folder.glob("results/cheap/*.*"), *project.folder.glob("figures/scenarios/*.png")]
    return {path.name: path.read_bytes() for path in paths}


ANALYSED = {"permutation_nulls": 2, "aggregate": 1, "scenario_figure": 1}
EVERYTHING = {"design": 1, "simulate": 2, **ANALYSED}


@pytest.mark.parametrize(
    ("edit", "due"),
    [
        ({"learner": "linear_regression", "split": "half"}, ANALYSED),
        ({"title": "a new title"}, {"scenario_figure": 1}),
        ({"beta_xy": 0.25}, EVERYTHING),
    ],
)
@pytest.mark.usefixtures("finished")
def test_an_edit_makes_due_what_depends_on_it_and_nothing_else(project, cheap, edit, due):
    """In a run with a new scenario, and with a file that is not valid, which is named and stops nothing."""
    data = cheap["data"] | {"parameters": cheap["data"]["parameters"] | edit}
    project.write("cheap", cheap | {"chunk": 20} | ({"data": data} if "beta_xy" in edit else edit))
    project.write("newcomer", cheap | {"chunk": 20})
    project.write("broken", cheap | {"metrix": ["mse"]})
    assert project.planned_by_scenario("scenarios") == {"cheap": due, "newcomer": EVERYTHING}
    said, code = project.command("run", "figures/scenarios/broken.pdf", check=False)
    assert (code, said.startswith("permconf: broken.yaml: unknown key 'metrix'")) == (2, True)
    for name in ("newcomer", "broken"):
        (project.folder / f"scenarios/{name}.yaml").unlink()
    project.write("cheap", cheap | {"chunk": 20})


def test_what_cannot_be_made_is_named_before_anything_is_computed(project, cheap):
    """Snakemake adds a traceback to what a function of a rule raises."""
    data = cheap["data"] | {"parameters": cheap["data"]["parameters"] | {"p": 2}}
    project.write("impossible", cheap | {"data": data})
    said, code = project.command("run", "impossible", check=False)
    (project.folder / "scenarios/impossible.yaml").unlink()
    assert code == 2
    sentence = "generator 'linear_confounding' cannot draw data with data.parameters: p must be a probability, not 2"
    assert said == f"permconf: impossible.yaml: {sentence}\n"


def test_chunks_without_records_are_never_mixed(project, cheap, finished):
    """As after a head process was killed and its jobs finished alone: Snakemake has no record of any file."""
    shutil.rmtree(project.folder / ".snakemake")
    assert project.jobs(FIGURE) == {}
    project.write("cheap", cheap | {"chunk": 20, "permutations": 39})
    assert project.jobs(TESTS) == {"permutation_nulls": 2, "aggregate": 1}
    assert set(pd.read_parquet(project.folder / TESTS)["n_permutations"]) == {39}
    project.write("cheap", cheap | {"chunk": 20})
    assert project.jobs(TESTS) == {"aggregate": 1}, "the old chunks are found again"
    assert files(project) == finished


def test_a_copied_folder_is_up_to_date_whatever_its_times(project, finished):
    made = sorted(path for kind in ("results", "figures") for path in project.folder.rglob(f"{kind}/**/*.*"))
    for k, path in enumerate(made):
        os.utime(path, (2e9 - 1000 * k, 2e9 - 1000 * k))
    shutil.rmtree(project.folder / ".snakemake")
    assert project.jobs(FIGURE) == {}
    changed = project.folder / "results/cheap/curves.csv"
    changed.write_text(changed.read_text().replace("0.0", "0.1", 1))
    os.utime(changed, (1, 1))
    assert project.jobs(FIGURE) == {"aggregate": 1, "scenario_figure": 1}
    assert files(project) == finished


def test_a_part_made_again_hides_no_table_that_is_out_of_date(project, finished):
    """Data sets of another seed exist but are made again, as after a kill before Snakemake noted their completion."""
    other = {"config": ["seed=7"]}
    project.snakemake(TESTS, options=["--cores", "2", "--until", "simulate"], **other)
    assert "aggregate" in project.snakemake(TESTS, options=["--cores", "2", "--forcerun", "simulate"], **other)[0]
    assert "Nothing to be done" in project.snakemake(TESTS, options=["--dry-run"], **other)[0]
    assert files(project)["tests.parquet"] != finished["tests.parquet"]
    project.snakemake(TESTS)
    assert files(project) == finished


def test_a_job_whose_code_changed_while_it_waited_fails_with_a_sentence(project, cheap):
    """A generator is edited while a job is in the queue."""
    project.plugin("generators/mine.py", GENERATOR)
    project.write("queued", cheap | {"data": {"generator": "mine", "parameters": {"n": 40}, "datasets": 10}})
    project.snakemake("results/queued/tests.parquet", options=["--cores", "2", "--until", "simulate"])
    (chunk,) = project.folder.glob("results/queued/datasets/*/*.npz")
    chunk.unlink()
    project.plugin("generators/mine.py", GENERATOR.replace("SHIFT = 1.0", "SHIFT = 5.0"))
    said, code = project.snakemake(chunk.relative_to(project.folder), check=False)
    assert code != 0
    assert "changed while this job waited or ran; run again" in said
    assert "Traceback" not in said
    assert not chunk.exists()
