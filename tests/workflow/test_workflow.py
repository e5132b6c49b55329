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
FIGURE, TABLE1 = "figures/fig08_simstudy.pdf", "figures/table1_parameters.csv"


def tables(folder):
    return [folder / "results" / name / table for name in EXPERIMENTS for table in TABLES]


@pytest.fixture(scope="module")
def small(make_project):
    """A finished run of six data sets per experiment."""
    project = make_project("datasets=6")
    project.snakemake(FIGURE, TABLE1)
    return project


def test_a_small_study_makes_its_figure_and_tables(small):
    assert (small.folder / "figures" / "fig08_simstudy.png").stat().st_size > 10_000
    for path in tables(small.folder):
        table = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
        assert len(table) >= 6
    assert not list((small.folder / "results").rglob(".*.parquet"))


def test_a_second_run_does_nothing_also_after_planning(small):
    """A plan sets resources, never file names; without --cores, the default profile gives them."""
    plan = {name: {"memory_mb": 700, "runtime": 12, "seconds_per_dataset": 1.0} for name in EXPERIMENTS}
    (small.folder / "results/plan.yaml").write_text(yaml.safe_dump(plan))
    said, _ = small.snakemake(FIGURE, TABLE1, options=())
    assert "Nothing to be done" in said
    assert "profiles/default" in said


@pytest.mark.slow
def test_snakemakes_own_report_has_the_figure_and_its_caption(small):
    small.snakemake(FIGURE, options=["--report", "snakemake.html"])
    text = (small.folder / "snakemake.html").read_text()
    assert FIGURE in text
    assert "6 data sets per" in text


@pytest.mark.slow
def test_other_chunks_and_cores_give_the_same_bytes(small, make_project):
    other = make_project("datasets=6", "chunk=4")
    other.snakemake("results/exp1/curves.csv", options=["--cores", "1"])
    for table in TABLES:
        path = f"results/exp1/{table}"
        assert (small.folder / path).read_bytes() == (other.folder / path).read_bytes(), path


def test_reading_the_workflow_imports_no_engine(make_project):
    """Every job of a cluster reads it again, and numba takes as long to import as half of Snakemake."""
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    modules = ", ".join(re.findall(r"^from (permconf[\w.]+) import", rules, re.MULTILINE))
    said, _ = make_project().run([sys.executable, "-c", f"import sys, {modules}; print('numba' in sys.modules)"])
    assert said == "False\n"


def test_a_wrong_configuration_stops_the_run_with_one_sentence(make_project):
    said, code = make_project("datsets=5").snakemake(check=False)
    assert code != 0
    assert "permconf: config.yaml: unknown key 'datsets', did you mean 'datasets'?" in said.splitlines()
    assert "Traceback" not in said


@pytest.mark.slow
def test_targets_besides_the_paper_take_their_steps_only(make_project, scenarios):
    """From the entry that the catalogue of workflows looks for."""

    def planned(*targets):
        dry = {"options": ["--cores", "1", "--dry-run"], "snakefile": ROOT / "workflow/Snakefile"}
        said, _ = make_project("datasets=20").snakemake(*targets, **dry)
        jobs = {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", said, re.MULTILINE)}
        return jobs, set(re.findall(r"results/(\w+)/tests.parquet", said))

    jobs, needed = planned("deviations", "scenarios")
    assert (jobs["deviation_tables"], jobs["redraws"], jobs["other_redraws"]) == (1, 1, 1)
    assert {"exp1", "exp4_best_of_5_design", "fig04"} <= needed
    assert not any("forest" in name and name.startswith(("exp", "section4")) for name in needed)
    extensions = [name for name, scenario in scenarios.items() if scenario["group"] == "extension"]
    assert jobs["scenario_figure"] == len(extensions)
    jobs, needed = planned("forests", "mlconfound")
    steps = ("forest_comparison", "predictions", "compare_mlconfound", "mlconfound_environment", "mlconfound_table")
    assert [jobs[step] for step in steps] == [1, 5, 5, 1, 1]
    assert {"exp1", "exp1_forest", "stress_cy_yx"} <= needed


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
def test_the_workflow_is_a_module_of_another_one(make_project):
    """From git and an empty folder to a figure, with the installed library and scenarios of the importer."""
    project = make_project()
    repository = project.folder / "repository"
    repository.mkdir()
    shutil.copy(ROOT / "Snakefile", repository)
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q", "-b", "main"], ["add", "Snakefile"], [*author, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *command], cwd=repository, check=True)
    own = written_out(read_drafts(ROOT / "workflow/scenarios"))["exp4"][1]
    own["data"]["datasets"] = 3
    (project.folder / "mine").mkdir()
    (project.folder / "mine/own.yaml").write_text(yaml.safe_dump(own | {"learner": "naive_bayes"}))
    (project.folder / "settings.yaml").write_text(yaml.safe_dump({"permconf": {"seed": 1, "scenario_dir": "mine"}}))
    (project.folder / "Snakefile").write_text(MODULE.format(repository=repository))
    project.run([sys.executable, "-m", "snakemake", "--cores", "1"])
    assert len(pd.read_parquet(project.folder / "results/own/tests.parquet")) == 3
    assert (project.folder / "figures/scenarios/own.png").stat().st_size > 10_000
