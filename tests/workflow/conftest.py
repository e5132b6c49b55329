"""Real Snakemake on scenarios of one's own, in a folder of their own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from permconf_study.study.scenario import load_scenarios

ROOT = Path(__file__).parents[2]
# Cheap data sets: no hypercube, no fit, few permutations.
CHEAP = {
    "title": "a cheap scenario",
    "data": {
        "generator": "linear_confounding",
        "parameters": {
            "n": 40,
            "p": 0.5,
            "beta_xc": {"uniform": [-1, 1]},
            "beta_yc": {"uniform": [-1, 1]},
            "beta_xy": 0.5,
        },
        "datasets": 40,
    },
    "split": "none",
    "learner": "feature",
    "metrics": ["correlation"],
    "permutations": 19,
}


class Project:
    """Scenario files, plugins and runs in one folder; without scenarios of its own, with those of the repository."""

    def __init__(self, folder, *config):
        self.folder = folder
        self.config = config or [f"scenario_dir={folder / 'scenarios'}"]

    def write(self, name, content):
        path = self.folder / "scenarios" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))

    def plugin(self, name, text):
        path = self.folder / "plugins" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.config = [*self.config[:1], f"plugins={self.folder / 'plugins'}"]

    def snakemake(self, *targets, options=("--cores", "2"), config=(), check=True, snakefile=ROOT / "Snakefile"):
        """All that a run said, and its exit code."""
        command = [sys.executable, "-m", "snakemake", "--snakefile", snakefile, *options]
        return self.run([*command, "--config", *self.config, *config, "--", *targets], check=check)

    def jobs(self, *targets, **options):
        """Number of jobs by step that a run took."""
        said, _ = self.snakemake(*targets, **options)
        return {
            name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", said, re.MULTILINE) if name != "total"
        }

    def planned(self, *targets, **options):
        """Number of jobs by step that a run would take."""
        return self.jobs(*targets, options=["--cores", "2", "--dry-run"], **options)

    def planned_by_scenario(self, *targets):
        """Number of jobs by scenario and step that a run would take."""
        said, _ = self.snakemake(*targets, options=["--dry-run"])
        due: dict = {}
        step = r"^ *(?:local)?rule (\w+):$(?:\n(?! *(?:local)?rule ).*)*?\n *wildcards: scenario=(\w+)"
        for rule, scenario in re.findall(step, said, re.MULTILINE):
            steps = due.setdefault(scenario, {})
            steps[rule] = steps.get(rule, 0) + 1
        return due

    def command(self, *arguments, check=True):
        """All that the command `permconf` said, and its exit code."""
        return self.run([sys.executable, "-m", "permconf", *arguments, "--config", *self.config], check=check)

    def run(self, command, *, check=True):
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "PYTHONPATH": str(ROOT / "scripts")},
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr, done.returncode


@pytest.fixture(scope="session")
def shipped():
    """Every shipped scenario with its data sets."""
    return load_scenarios(ROOT / "workflow/scenarios", {}, engines=False)


@pytest.fixture(scope="session")
def make_project(tmp_path_factory):
    """A project in a new folder, with settings or scenarios of its own."""
    return lambda *config: Project(tmp_path_factory.mktemp("project"), *config)


@pytest.fixture(scope="module")
def project(make_project):
    return make_project()


@pytest.fixture(scope="module")
def cheap():
    """A cheap scenario; tests change copies of it."""
    return yaml.safe_load(yaml.safe_dump(CHEAP))
