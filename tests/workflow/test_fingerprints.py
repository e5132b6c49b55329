"""A result carries what made it: no edit, kill, orphan or copy ends with wrong numbers that are called up to date."""

import os
import shutil

import pandas as pd
import pytest

pytestmark = pytest.mark.slow
TESTS, FIGURE = "results/cheap/tests.parquet", "figures/scenarios/cheap.png"
GENERATOR = """
from permconf.generators import Generator
from permconf.generators.linear_confounding import GENERATOR as LINEAR

SHIFT = 1.0


def sample(rng, *, n, p, beta_xc, beta_yc, beta_xy):
    X, y, c = LINEAR.sample(rng, n=n, p=p, beta_xc=beta_xc, beta_yc=beta_yc, beta_xy=beta_xy)
    return X + SHIFT * y[:, None], y, c


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


def test_chunks_without_records_are_never_mixed(project, cheap, finished):
    """As after a head process was killed and its jobs finished alone: Snakemake has no record of any file."""
    shutil.rmtree(project.folder / ".snakemake")
    assert project.jobs(FIGURE) == {}
    project.write("cheap", cheap | {"chunk": 20, "permutations": 39})
    assert project.jobs(FIGURE) == ANALYSED
    assert set(pd.read_parquet(project.folder / TESTS)["n_permutations"]) == {39}
    project.write("cheap", cheap | {"chunk": 20})
    assert project.jobs(FIGURE) == {"aggregate": 1, "scenario_figure": 1}, "the old chunks are found again"
    assert files(project) == finished


def test_a_mixture_is_refused_and_its_chunks_are_named(project, finished):
    """Somebody copies a chunk of other settings to where a present one belongs."""
    project.snakemake(TESTS, config=["seed=7"])
    chunks = project.folder.glob("results/cheap/chunks/*/00020-00039.parquet")
    present, *_, last = sorted(chunks, key=lambda path: path.stat().st_mtime)
    shutil.copy(last, present)
    said, code = project.snakemake(TESTS, check=False)
    assert code != 0
    assert "has chunks that other settings or code made (00020-00039.parquet); delete them" in said
    present.unlink()
    project.snakemake(TESTS)
    assert files(project)["tests.parquet"] == finished["tests.parquet"]


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


def test_a_job_whose_code_changed_while_it_waited_fails_with_a_sentence(project, cheap):
    """A generator is edited while a job is in the queue, and changed back."""
    project.plugin("generators/mine.py", GENERATOR)
    project.write("queued", cheap | {"data": cheap["data"] | {"generator": "mine"}, "chunk": 20})
    project.snakemake("results/queued/tests.parquet")
    chunk = next(project.folder.glob("results/queued/datasets/*/00000-00019.npz"))
    content = chunk.read_bytes()
    chunk.unlink()
    project.plugin("generators/mine.py", GENERATOR.replace("SHIFT = 1.0", "SHIFT = 5.0"))
    said, code = project.snakemake(chunk.relative_to(project.folder), check=False)
    assert code != 0
    assert "changed while this job waited or ran; run again" in said
    assert "Traceback" not in said
    assert not chunk.exists()
    assert project.planned("results/queued/tests.parquet") == {"simulate": 2, "permutation_nulls": 2, "aggregate": 1}
    project.plugin("generators/mine.py", GENERATOR)
    project.snakemake(chunk.relative_to(project.folder))
    assert chunk.read_bytes() == content
    assert project.planned("results/queued/tests.parquet") == {}


def test_an_edited_class_of_the_users_own_makes_due_from_the_nulls_on(project, cheap):
    module, text = (
        project.folder / "mymodels.py",
        "from sklearn.linear_model import Ridge\n\n\nclass Mine(Ridge):\n    pass\n",
    )
    module.write_text(text)
    data = cheap["data"] | {"datasets": 2}
    project.write("own", cheap | {"data": data, "learner": "mymodels.Mine", "split": "half", "metrics": ["mse"]})
    project.snakemake("results/own/tests.parquet")
    module.write_text(f'"""Words."""\n{text}')
    assert project.planned("results/own/tests.parquet") == {}
    module.write_text(text.replace("pass", "scale = 2"))
    assert project.planned("results/own/tests.parquet") == {"permutation_nulls": 1, "aggregate": 1}


def test_a_part_made_again_hides_no_table_that_is_out_of_date(project, finished):
    """Data sets of another seed exist but are made again, as after a kill before Snakemake noted their completion."""
    other = {"config": ["seed=7"]}
    project.snakemake(TESTS, options=["--cores", "2", "--until", "simulate"], **other)
    assert "aggregate" in project.snakemake(TESTS, options=["--cores", "2", "--forcerun", "simulate"], **other)[0]
    assert "Nothing to be done" in project.snakemake(TESTS, options=["--dry-run"], **other)[0]
    assert files(project)["tests.parquet"] != finished["tests.parquet"]
    project.snakemake(FIGURE)
    assert files(project) == finished
