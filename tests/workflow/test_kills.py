"""Runs killed as users kill them, at random moments of a recomputation; the same command then gives the same bytes."""

import contextlib
import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGET = "results/cheap/curves.csv"
MOMENTS = int(os.environ.get("PERMCONF_KILLS", "1"))  # of each kind
EVERY = [*itertools.product((signal.SIGINT, signal.SIGHUP, signal.SIGKILL), ("make", "snakemake", "job", "terminal"))]
USUAL = [  # Ctrl-C, a closed terminal, an impatient user, a lack of memory
    *((signal.SIGINT, "terminal"), (signal.SIGHUP, "terminal"), (signal.SIGINT, "make"), (signal.SIGKILL, "make")),
    *((signal.SIGKILL, "snakemake"), (signal.SIGKILL, "job")),
]
TRIALS = 6
MAKEFILE = "all:\n\t@{command}\n"
FLAGS = ("--unlock", "--rerun-incomplete", "--resume", "LockException", "IncompleteFiles", "Traceback")


@pytest.fixture(scope="module")
def study(project, cheap):
    """A finished run of six steps, two chunks among them, started by make."""
    project.write("cheap", cheap | {"data": cheap["data"] | {"datasets": 20}, "chunk": 10})
    command = [sys.executable, "-m", "permconf", "run", TARGET, "--cores", "2", "--config", *project.config]
    (project.folder / "Makefile").write_text(MAKEFILE.format(command=" ".join(map(str, command))))
    return Study(project)


class Study:
    """The two states of the study, seed 1 and seed 2, and a run from one to the other."""

    def __init__(self, project):
        self.folder, self.seed, self.expected = project.folder, 0, {}
        for seed in (2, 1):
            self.forget_parts()
            started = time.monotonic()
            done = self.wait(self.start(seed))
            assert done[0] == 0, done[1]
            self.seconds, self.expected[seed] = time.monotonic() - started, self.files()

    def forget_parts(self):
        """Both seeds have parts of their own: without them a run computes everything."""
        for parts in ("design", "datasets", "chunks"):
            shutil.rmtree(self.folder / "results/cheap" / parts, ignore_errors=True)

    def start(self, seed):
        self.seed = seed
        text = (self.folder / "Makefile").read_text().partition(" seed=")[0].rstrip()
        (self.folder / "Makefile").write_text(f"{text} seed={seed}\n")
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "PYTHONPATH": str(ROOT / "scripts")}
        return subprocess.Popen(
            ["make"],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=_as_from_a_terminal,
        )

    def wait(self, process):
        said, _ = process.communicate(timeout=900)
        return process.returncode, said

    def files(self):
        tables = self.folder.glob("results/cheap/**/*.*")
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in tables}

    def victims(self, make):
        """Processes of the run by kind: make, permconf, Snakemake, its steps, and all, as a terminal signals them."""
        found = {"make": [make.pid], "command": _children(make.pid), "terminal": [-make.pid]}
        found["snakemake"] = [child for process in found["command"] for child in _children(process)]
        found["job"] = [
            step for process in found["snakemake"] for child in _children(process) for step in _children(child)
        ]
        return found


def _as_from_a_terminal():
    """Signals that end a process, even where these tests were started in the background, which ignores them."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _children(process):
    try:
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()] + [
            int(word)
            for task in Path(f"/proc/{process}/task").iterdir()
            if task.name != str(process)
            for word in (task / "children").read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _kill_a_recomputation(study, number, victim, moment):
    """Start a recomputation and kill it; one that finishes all the same is followed by another, killed earlier."""
    for _ in range(TRIALS):
        study.forget_parts()
        make, killed = study.start(3 - study.seed), []
        deadline = time.monotonic() + moment
        while make.poll() is None and (time.monotonic() < deadline or not killed):
            if time.monotonic() >= deadline and (killed := study.victims(make)[victim]):
                for process in killed:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, number)
            time.sleep(0.02)
        code, _ = study.wait(make)
        if killed and code != 0:
            return
        moment /= 2
    pytest.fail(f"{number.name} to {victim} did not stop any of {TRIALS} runs")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
@pytest.mark.parametrize(("number", "victim"), USUAL if MOMENTS == 1 else EVERY)
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_the_same_command_resumes(study, number, victim, moment):
    moment = random.Random(f"{number}/{victim}/{moment}").uniform(0.1, 0.9) * study.seconds
    _kill_a_recomputation(study, number, victim, moment)
    code, said = study.wait(study.start(study.seed))
    assert code == 0, said
    assert not any(flag in said for flag in FLAGS), said
    found, expected = study.files(), study.expected[study.seed]
    assert [name for name in {**found, **expected} if found.get(name) != expected.get(name)] == []
