"""A failed or killed run leaves nothing stale behind: the next run, whatever it is asked for, computes what is due."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE, CURVES, FIGURE = "results/cheap/tests.parquet", "results/cheap/curves.csv", "figures/scenarios/cheap.png"
PLAIN = """
import numpy as np


class Plain:
    def scores(self, X_train, Y_train, X_test, keys):
        return np.repeat(X_test[:, :1], keys.size, axis=1)


LEARNER = Plain
"""


@pytest.fixture
def finished(project, cheap):
    """A finished run of forty data sets in two chunks, with a learner of its own; the bytes of its files."""
    project.plugin("learners/plain.py", PLAIN)
    project.write("cheap", cheap | {"learner": "plain", "chunk": 20})
    project.snakemake(FIGURE)
    return files(project)


def test_a_finished_chunk_has_two_files(project, finished):
    assert finished
    for kind in ("datasets", "chunks"):
        assert len(list(project.folder.glob(f"results/cheap/{kind}/*"))) == 2
    logs = [path.name for path in project.folder.glob("results/logs/*/cheap/*")]
    assert logs == ["times.tsv"] * 3


def files(project):
    paths = [*project.folder.glob("results/cheap/*.*"), *project.folder.glob("figures/scenarios/*.png")]
    return {path.name: path.read_bytes() for path in paths}


def chunk(project, number):
    return sorted(project.folder.glob("results/cheap/chunks/*.parquet"))[number]


def test_a_step_that_fails_after_an_edit_makes_everything_after_it_due(project, finished):
    project.plugin("learners/plain.py", PLAIN.replace("return", "1 / 0\n        return"))
    for _ in range(2):
        assert project.snakemake(FIGURE, check=False).returncode != 0
    project.plugin("learners/plain.py", PLAIN)
    for target in (FIGURE, CURVES, TABLE):
        project.snakemake(target)
    assert files(project) == finished


def test_a_truncated_chunk_is_recomputed_by_the_run_after_the_one_that_finds_it(project, finished):
    damaged = chunk(project, 1)
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[: len(whole) // 2])
    found = project.snakemake(TABLE, config=["alpha_steps=20"], check=False)
    assert found.returncode != 0
    assert f"results/cheap/chunks/{damaged.name} was damaged and has been removed; run again to recreate it" in (
        found.stdout + found.stderr
    )
    assert project.planned(FIGURE) == {"permutation_nulls": 1, "aggregate": 1, "scenario_figure": 1}
    project.snakemake(FIGURE)
    assert damaged.read_bytes() == whole
    assert files(project) == finished


@pytest.mark.usefixtures("finished")
def test_a_renewed_time_of_a_script_makes_nothing_due(project):
    """As after a checkout of another branch and back, or in a new clone to which results were copied."""
    script = ROOT / "scripts/simulate.py"
    before = script.stat()
    os.utime(script)
    try:
        assert project.planned(FIGURE) == {}
    finally:
        os.utime(script, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("target", [FIGURE, TABLE, CURVES])
def test_a_file_lost_in_the_middle_is_due_whatever_is_asked_for(project, finished, target):
    chunk(project, 0).unlink()
    planned = project.planned(target)
    assert (planned["permutation_nulls"], planned["aggregate"]) == (1, 1)
    project.snakemake(FIGURE)
    assert files(project) == finished


def test_a_lost_table_is_made_again_for_the_figure_after_it(project, finished):
    (project.folder / TABLE).unlink()
    assert project.planned(FIGURE) == {"aggregate": 1, "scenario_figure": 1}
    project.snakemake(FIGURE)
    assert files(project) == finished
    assert project.planned(FIGURE) == {}


def test_results_whose_records_were_deleted_are_made_again(project, finished):
    shutil.rmtree(project.folder / ".snakemake")
    project.snakemake(FIGURE, config=["seed=2"])
    assert files(project)["tests.parquet"] != finished["tests.parquet"]
    project.snakemake(FIGURE)
    assert files(project) == finished


def test_a_damaged_block_of_the_design_is_never_aggregated(project, finished):
    block = project.folder / "results/cheap/design/000.csv"
    written = block.stat()
    block.write_text(block.read_text().replace("1", "x", 50))
    os.utime(block, ns=(written.st_atime_ns, written.st_mtime_ns))
    found = project.snakemake(TABLE, config=["alpha_steps=20"], check=False)
    assert found.returncode != 0
    sentence = "results/cheap/design/000.csv was damaged and has been removed; run again to recreate it"
    assert sentence in found.stdout + found.stderr
    assert project.planned(FIGURE) == {
        "design": 1,
        "simulate": 2,
        "permutation_nulls": 2,
        "aggregate": 1,
        "scenario_figure": 1,
    }
    project.snakemake(FIGURE)
    assert files(project) == finished
