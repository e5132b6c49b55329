"""The workflow as a user runs it: real Snakemake, small studies in a folder of their own."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from permconf_study.study.scenario_files import read_drafts
from permconf_study.study.scenario_like import written_out

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ("exp1", "exp2", "exp3", "exp4")
TABLES = ("design.csv", "tests.parquet", "curves.csv")


def snakemake(folder, *arguments, cores=2, check=True, config=("datasets=6",), targets=()):
    command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--directory", folder]
    command += ["--cores", str(cores), *arguments, "--config", *config, "--", *targets]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=folder)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


def tables(folder):
    return [folder / "results" / name / table for name in EXPERIMENTS for table in TABLES]


def jobs(output):
    """Job counts from Snakemake's table."""
    return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)}


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    done = snakemake(folder, targets=("figures/fig08_simstudy.pdf", "figures/table1_parameters.csv"))
    return folder, done


def test_a_small_study_makes_its_figure_and_tables(first_run):
    folder, _ = first_run
    assert (folder / "figures" / "fig08_simstudy.png").stat().st_size > 10_000
    for path in tables(folder):
        table = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
        assert len(table) >= 6
    assert not list((folder / "results").rglob(".*.parquet"))


def test_a_second_run_does_nothing(first_run):
    folder, _ = first_run
    done = snakemake(folder, targets=("figures/fig08_simstudy.pdf", "figures/table1_parameters.csv"))
    assert "Nothing to be done" in done.stdout + done.stderr


@pytest.mark.slow
def test_snakemakes_own_report_has_the_figure_and_its_caption(first_run):
    folder, _ = first_run
    snakemake(folder, "--report", folder / "snakemake.html", targets=("figures/fig08_simstudy.pdf",))
    text = (folder / "snakemake.html").read_text()
    assert "figures/fig08_simstudy.pdf" in text
    assert "6 data sets per" in text


@pytest.mark.slow
def test_other_chunks_and_cores_give_the_same_bytes(first_run, tmp_path):
    folder, _ = first_run
    snakemake(tmp_path, cores=1, config=("datasets=6", "chunk=4"), targets=("figures/fig08_simstudy.pdf",))
    for one, other in zip(tables(folder), tables(tmp_path), strict=True):
        assert one.read_bytes() == other.read_bytes(), one
    for kind in ("pdf", "png"):
        name = f"figures/fig08_simstudy.{kind}"
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes()


def test_a_wrong_configuration_stops_the_run_with_one_sentence(tmp_path):
    done = snakemake(tmp_path, "--dry-run", check=False, config=("datsets=5",))
    assert done.returncode != 0
    output = done.stdout + done.stderr
    assert "permconf: config.yaml: unknown key 'datsets', did you mean 'datasets'?" in output.splitlines()
    assert "Traceback" not in output


MODULE = """
configfile: "settings.yaml"

module permconf:
    snakefile: "git+file://{repository}/Snakefile@main"
    config: config["permconf"]

use rule * from permconf as permconf_*

rule mine:
    default_target: True
    input: "figures/scenarios/own.png"
"""


@pytest.mark.slow
def test_the_workflow_is_a_module_of_another_one(tmp_path):
    """From git and an empty folder to a figure, with the installed library and scenarios of the importer."""
    repository = tmp_path / "repository"
    repository.mkdir()
    shutil.copy(ROOT / "Snakefile", repository)
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q", "-b", "main"], ["add", "Snakefile"], [*author, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *command], cwd=repository, check=True)
    own = written_out(read_drafts(ROOT / "workflow/scenarios"))["exp4"][1]
    own["data"]["datasets"] = 3
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/own.yaml").write_text(yaml.safe_dump(own | {"learner": "naive_bayes"}))
    (tmp_path / "settings.yaml").write_text(yaml.safe_dump({"permconf": {"seed": 1, "scenario_dir": "mine"}}))
    (tmp_path / "Snakefile").write_text(MODULE.format(repository=repository))
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(pd.read_parquet(tmp_path / "results/own/tests.parquet")) == 3
    assert (tmp_path / "figures/scenarios/own.png").stat().st_size > 10_000


@pytest.mark.slow
def test_planning_again_recomputes_nothing(first_run):
    """A plan sets resources, never file names; without --cores, the default profile gives them."""
    folder, _ = first_run
    plan = {name: {"memory_mb": 700, "runtime": 12, "seconds_per_dataset": 1.0} for name in EXPERIMENTS}
    (folder / "results/plan.yaml").write_text(yaml.safe_dump(plan))
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--dry-run"]
    command += ["--config", "datasets=6", "alpha_steps=50", "--", "results/exp1/curves.csv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "profiles/default" in done.stdout + done.stderr
    assert jobs(done.stdout + done.stderr) == {"aggregate": 1, "total": 1}
