"""The container recipe: what it leaves in the image is enough, tried without a container engine."""

import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


IGNORED = (ROOT / "envs/Containerfile.dockerignore").read_text().split()


def ignored(name):
    """Whether a path is left out of the image: the last matching line decides."""
    left_out = False
    for line in IGNORED:
        pattern = line.removeprefix("!")
        if fnmatch(name, pattern) or name.startswith(f"{pattern}/"):
            left_out = not line.startswith("!")
    return left_out


@pytest.mark.slow
def test_what_is_in_the_image_runs_and_is_verified(tmp_path):
    """One small table, with the packages of this environment; CI starts with `make setup` in a clean checkout."""
    tracked = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    for name in (name for name in tracked if not ignored(name) and (ROOT / name).exists()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name, follow_symlinks=False)
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "scripts")}
    for command in (["run", "results/stratified.csv"], ["verify"]):
        command = [sys.executable, "-m", "permconf", *command]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^results/stratified.csv +identical: 368 rows$", done.stdout, re.MULTILINE)
