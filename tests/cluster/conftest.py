"""A small study to run on a real Slurm, and what to look at after a fault (`make cluster-test`, not `make test`)."""

import contextlib
import csv
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest
import yaml

from permconf_study.commands.cluster import job_prefix, own_jobs
from permconf_study.commands.cluster_settings import ClusterError, check_slurm
from permconf_study.study.scenario_files import read_drafts
from permconf_study.study.scenario_like import written_out

ROOT = Path(__file__).parents[2]
SLURM = ROOT / "tests" / "cluster" / "slurm.sh"
FAULTS = ROOT / "results" / "cluster_faults.csv"
TABLES = ("design.csv", "tests.parquet", "curves.csv")
PLAN = {"datasets": 8, "chunk": 4, "seconds_per_dataset": 0.1, "disk_mb": 1.0, "memory_mb": 1000, "runtime": 5}
CHUNKS = 2


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: disturbs every job on the cluster")


def pytest_terminal_summary(terminalreporter):
    """The faults seen so far, and how long they took to mend."""
    if FAULTS.exists() and not hasattr(terminalreporter.config, "workerinput"):
        terminalreporter.section("faults")
        with pd.option_context("display.width", 200, "display.max_colwidth", 90):
            terminalreporter.write_line(pd.read_csv(FAULTS).to_string(index=False))


@pytest.fixture(scope="session", autouse=True)
def cluster():
    """The running test cluster, and nobody else's."""
    if not Path("/var/lib/permconf-slurm/slurm.conf").exists():
        pytest.skip("no test cluster: tests/cluster/slurm.sh start")
    try:
        check_slurm()
    except ClusterError as error:
        pytest.skip(f"no test cluster: {error}")


def slurm(*arguments):
    subprocess.run([str(SLURM), *arguments], check=True, capture_output=True, timeout=300)


def slurm_command(*command):
    """The words that a command of Slurm prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


class Study:
    """A study in a folder of its own: eight data sets in two chunks, whose jobs wait while the file `hold` exists."""

    def __init__(self, folder, *, plan=None):
        self.folder = folder
        self.results = folder / "results" / "small"
        self.hold = folder / "hold"
        self.begun = time.time()
        self.heads = []
        scenarios = folder / "scenarios"
        scenarios.mkdir(parents=True)
        exp4 = written_out(read_drafts(ROOT / "workflow/scenarios"))["exp4"][1]
        exp4["data"]["datasets"] = PLAN["datasets"]
        exp4 |= {"learner": {"name": "patient", "hold": str(self.hold)}, "chunk": PLAN["chunk"]}
        (scenarios / "small.yaml").write_text(yaml.safe_dump(exp4))
        if plan is not None:
            (folder / "results").mkdir()
            self.plan(**plan)

    def plan(self, **changes):
        """Write a plan, so that no pilot is needed."""
        (self.folder / "results" / "plan.yaml").write_text(yaml.safe_dump({"small": PLAN | changes}))

    @property
    def log(self):
        """What the head processes said."""
        log = self.folder / "head.log"
        return log.read_text() if log.exists() else ""

    def settings(self):
        return ["--config", f"scenario_dir={self.folder / 'scenarios'}", f"plugins={ROOT / 'tests/cluster/plugins'}"]

    def start(self, profile=None, *, hold=False, more=()):
        """Start the head process on the cluster; it dies with the tests. `hold` lets its jobs wait for `release`."""
        if hold:
            self.hold.touch()
        command = ["setpriv", "--pdeathsig", "KILL", sys.executable, "-m", "permconf", "cluster"]
        command += ["results/small/curves.csv", "--profile", str(profile or self.profile())]
        command += ["--directory", str(self.folder), *more, *self.settings()]
        with open(self.folder / "head.log", "a") as log:
            self.heads.append(subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log))
        return self.heads[-1]

    def release(self):
        """Let the jobs that wait, and all that follow, compute."""
        self.hold.unlink()

    def start_snakemake(self):
        """Start Snakemake itself as the head process on the cluster."""
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory"]
        command += [str(self.folder), "--workflow-profile", str(ROOT / "workflow/profiles/slurm"), *self.settings()]
        command += ["--slurm-jobname-prefix", job_prefix(self.folder), "--", "results/small/curves.csv"]
        with open(self.folder / "head.log", "a") as log:
            self.heads.append(subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log))
        return self.heads[-1]

    def submitted(self):
        """How many jobs the head processes have submitted."""
        return self.log.count("has been submitted with SLURM jobid")

    def edit(self, **settings):
        """Change settings in the scenario file."""
        path = self.folder / "scenarios/small.yaml"
        path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | settings))

    def assert_unmixed(self):
        """Every chunk and every table is of one setting; returns the permutations that were seen."""
        seen = {}
        for path in (*self.results.glob("chunks/*/[0-9]*.parquet"), *self.results.glob("tests.parquet")):
            permutations = set(pd.read_parquet(path, columns=["n_permutations"])["n_permutations"])
            assert len(permutations) == 1, path
            folder = path.parent.name if path.name != "tests.parquet" else path.name
            assert seen.setdefault(folder, permutations) == permutations, path
        return [number for numbers in seen.values() for number in numbers]

    def kill(self, head):
        """Kill a head process and its Snakemake, so that neither can clear up."""
        for process in (*children_of(head.pid), head.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        head.wait()

    def profile(self, name="slurm", **changes):
        """A profile that looks at the queue more often, with other changes."""
        settings = yaml.safe_load((ROOT / "workflow/profiles" / name / "config.yaml").read_text())
        often = {"seconds-between-status-checks": 1, "max-jobs-per-timespan": "100/2s", "latency-wait": 5}
        often |= {"slurm-init-seconds-before-status-checks": 2} if name == "slurm" else {}
        folder = self.folder / "profile"
        folder.mkdir(exist_ok=True)
        (folder / "config.yaml").write_text(yaml.safe_dump(settings | often | changes))
        return folder

    def finish(self, head, timeout=600):
        """Wait for a head process that must end well."""
        assert head.wait(timeout=timeout) == 0, self.log[-4000:]
        assert "Done in " in self.log, "the summary"

    def fail(self, head, timeout=600):
        """Wait for a head process that must not end well."""
        assert head.wait(timeout=timeout) != 0, self.log[-4000:]

    def run_here(self, target="results/small/curves.csv", cores=2):
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", str(cores)]
        command += ["--directory", str(self.folder), *self.settings(), "--", target]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def tables(self):
        return contents(self.results)

    def states(self):
        """How many of this study's jobs ended in which state."""
        begun = datetime.fromtimestamp(self.begun).isoformat(timespec="seconds")
        command = [
            "sacct",
            "--noheader",
            "--parsable2",
            "--allocations",
            f"--starttime={begun}",
            "--format=JobName,State",
        ]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        return Counter(line.split("|")[1].split()[0] for line in lines if line.startswith(job_prefix(self.folder)))

    def computing(self, jobs=CHUNKS, *, besides=()):
        """Wait until this many jobs compute, other than `besides`; their processes and nodes by number."""
        return wait_until(lambda: self._computing(jobs, besides), what=f"{jobs} jobs that compute")

    def _computing(self, jobs, besides):
        found = {}
        for process in self.processes():
            if any(part.endswith(".permutation_nulls.py") for part in proc(process, "cmdline")[:2]):
                environment = dict(part.split("=", 1) for part in proc(process, "environ") if "=" in part)
                number = environment.get("SLURM_JOB_ID")
                if number and number not in besides:
                    found[number] = process, environment["SLURMD_NODENAME"]
        return found if len(found) >= jobs else None

    def processes(self):
        """Processes that work in this study's folder."""
        links = [(link, read(link.readlink)) for link in Path("/proc").glob("[0-9]*/cwd")]
        return [int(link.parent.name) for link, folder in links if folder and folder.is_relative_to(self.folder)]

    def assert_mended(self, expected):
        """The undisturbed run's tables, every chunk completed once, nothing in the queue, no process left behind."""
        assert self.tables() == expected
        assert self.states()["COMPLETED"] == CHUNKS
        wait_until(lambda: not own_jobs(job_prefix(self.folder)), what="an empty queue", timeout=30)
        wait_until(lambda: not self.processes(), what="the end of all processes", timeout=30)
        assert list(self.results.rglob(".*")) == []


@pytest.fixture
def study(tmp_path):
    """Make a study: study(plan={...}); its processes and jobs end with the test."""
    made = []

    def make(**options):
        made.append(Study(tmp_path / f"study{len(made)}", **({"plan": {}} | options)))
        return made[-1]

    yield make
    for one in made:
        for head in one.heads:
            one.kill(head)
        if jobs := own_jobs(job_prefix(one.folder)):
            subprocess.run(["scancel", *jobs], check=True)
        for process in one.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


@pytest.fixture(scope="session")
def expected(tmp_path_factory, worker_id):
    """Tables of the study, run on this machine without any fault; once for all test processes."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "undisturbed"
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            Study(folder).run_here()
    return contents(folder / "results/small")


def contents(folder):
    """The tables of a run, without the fingerprint of what made them, which names the folder of the study."""
    frames = {name: pd.read_parquet(folder / name) if name.endswith("parquet") else None for name in TABLES}
    return {name: (folder / name).read_text() if frame is None else frame.to_csv() for name, frame in frames.items()}


@pytest.fixture
def record():
    """Keep what happened: record(fault, happened, study, since), with the time from the fault to the end of the run."""

    def write(fault, happened, study, since):
        states = ", ".join(f"{count} {state.lower()}" for state, count in sorted(study.states().items()))
        FAULTS.parent.mkdir(exist_ok=True)
        new = not FAULTS.exists()
        with open(FAULTS, "a", newline="") as file:
            rows = [("fault", "what happened", "jobs", "seconds to the end")] if new else []
            csv.writer(file).writerows([*rows, (fault, happened, states, round(time.monotonic() - since, 1))])

    return write


def read(reader):
    """What a reader of /proc finds, or nothing if the process has ended."""
    try:
        return reader()
    except (FileNotFoundError, ProcessLookupError):
        return None


def children_of(process):
    """Processes that a process has started."""
    text = read(Path(f"/proc/{process}/task/{process}/children").read_text) or ""
    return [int(number) for number in text.split()]


def proc(process, name):
    """The words of a file in /proc."""
    return (read(Path(f"/proc/{process}/{name}").read_bytes) or b"").decode().split("\0")


def wait_until(condition, timeout=300, what="condition"):
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come about in {timeout} s")
        time.sleep(0.3)
    return value
