"""Real Snakemake on scenarios of one's own, in a folder of their own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

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
    """Scenario files, plugins and runs in one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.config = [f"scenario_dir={folder / 'scenarios'}"]

    def write(self, name, content):
        path = self.folder / "scenarios" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))

    def plugin(self, name, text):
        path = self.folder / "plugins" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.config = [*self.config[:1], f"plugins={self.folder / 'plugins'}"]

    def snakemake(self, *targets, options=(), config=(), check=True):
        command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--cores", "2", *options]
        return self._run([*command, "--config", *self.config, *config, "--", *targets], check)

    def planned(self, *targets):
        """Number of jobs by step that a run would take."""
        done = self.snakemake(*targets, options=["--dry-run"])
        found = re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, re.MULTILINE)
        return {name: int(count) for name, count in found if name != "total"}

    def planned_by_scenario(self, *targets):
        """Number of jobs by scenario and step that a run would take, and all that it said."""
        done = self.snakemake(*targets, options=["--dry-run"])
        due: dict = {}
        step = r"^ *(?:local)?rule (\w+):$(?:\n(?! *(?:local)?rule ).*)*?\n *wildcards: scenario=(\w+)"
        for rule, scenario in re.findall(step, done.stdout + done.stderr, re.MULTILINE):
            steps = due.setdefault(scenario, {})
            steps[rule] = steps.get(rule, 0) + 1
        return due, done.stdout + done.stderr

    def command(self, *arguments, check=True):
        """The command `permconf`."""
        return self._run([sys.executable, "-m", "permconf", *arguments, "--config", *self.config], check)

    def _run(self, command, check):
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "PYTHONPATH": str(ROOT / "scripts")},
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def cheap():
    """A cheap scenario; tests change copies of it."""
    return yaml.safe_load(yaml.safe_dump(CHEAP))
