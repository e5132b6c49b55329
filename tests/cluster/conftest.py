"""A real Slurm on this machine, and a small study to run on it (`make cluster-test`, not `make test`)."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SLURM = ROOT / "tests" / "cluster" / "slurm.sh"
TABLES = ("design.csv", "tests.parquet", "curves.csv")


def slurm(*arguments):
    subprocess.run([str(SLURM), *arguments], check=True, capture_output=True, timeout=300)


@pytest.fixture(scope="session")
def cluster():
    """The running cluster; skipped, with the reason, where it cannot be had."""
    if os.geteuid() != 0:
        pytest.skip("a test cluster needs root")
    started = subprocess.run([str(SLURM), "start"], capture_output=True, text=True, timeout=600, check=False)
    if started.returncode != 0:
        pytest.skip(f"no Slurm here: {started.stderr.strip()}")
    yield
    slurm("stop")


class Study:
    """A study in a folder of its own: one scenario of forests, in chunks of a few seconds."""

    def __init__(self, folder, *, datasets=24, chunk=6, trees=500, plan=None):
        self.folder = folder
        scenarios = folder / "scenarios"
        scenarios.mkdir(parents=True)
        exp1 = yaml.safe_load((ROOT / "workflow/scenarios/exp1.yaml").read_text())
        exp1["data"]["datasets"] = datasets
        exp1 |= {"learner": {"name": "random_forest", "trees": trees}, "chunk": chunk}
        (scenarios / "small.yaml").write_text(yaml.safe_dump(exp1))
        if plan:
            (folder / "results").mkdir()
            (folder / "results" / "plan.yaml").write_text(yaml.safe_dump({"small": {"chunk": chunk, **plan}}))

    def arguments(self, *extra):
        common = ["--snakefile", ROOT / "Snakefile", "--directory", self.folder]
        return [str(a) for a in (*common, *extra, "--config", f"scenario_dir={self.folder / 'scenarios'}")]

    def start(self, *, resume=False, profile="slurm"):
        """Start the head process on the cluster."""
        command = [sys.executable, "-m", "permconf.cluster", "--profile", str(ROOT / "workflow/profiles" / profile)]
        command += ["--resume"] if resume else []
        command += [*self.arguments(), "--", "results/small/curves.csv"]
        environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
        with open(self.folder / "head.log", "a") as log:
            return subprocess.Popen(
                command, cwd=self.folder, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def finish(self, process, timeout=420):
        """Wait for a head process that must end well."""
        code = process.wait(timeout=timeout)
        assert code == 0, (self.folder / "head.log").read_text()[-4000:]

    def run_here(self, cores=2):
        command = [sys.executable, "-m", "snakemake", "--cores", str(cores), *self.arguments()]
        done = subprocess.run(
            [*command, "--", "results/small/curves.csv"], cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def tables(self):
        return {name: (self.folder / "results/small" / name).read_bytes() for name in TABLES}


@pytest.fixture
def study(tmp_path):
    """Make a study: study(datasets=..., chunk=..., plan=...)."""
    made = []

    def make(**options):
        made.append(Study(tmp_path / f"study{len(made)}", **options))
        return made[-1]

    return make


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """Tables of the default study, run on this machine without any fault."""
    study = Study(tmp_path_factory.mktemp("undisturbed") / "study")
    study.run_here()
    return study.tables()


def wait_until(condition, timeout=180, what="condition"):
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come about in {timeout} s")
        time.sleep(0.3)
    return value


def queue(state="R"):
    """(job, node) of the jobs in a state."""
    lines = subprocess.run(
        ["squeue", "-h", "-t", state, "-o", "%i %N"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [tuple(line.split()) for line in lines]


def script_processes(script="permutation_nulls"):
    """Processes that run a workflow script."""
    found = subprocess.run(
        ["pgrep", "-f", f"python.*scripts/tmp.*{script}.py"], capture_output=True, text=True, check=False
    )
    return [int(p) for p in found.stdout.split()]


def assert_clean(study, expected):
    """The tables are those of the undisturbed run, nothing is left in the queue, no process is left behind."""
    assert study.tables() == expected
    wait_until(lambda: not queue("all"), what="an empty queue")
    assert script_processes() == []
    assert list(study.folder.glob("results/**/.*.parquet")) == []
