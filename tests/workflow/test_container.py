"""The container recipe: its steps run in a fresh folder, without a container engine."""

import os
import re
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / "envs/Containerfile").read_text()
IGNORED = (ROOT / "envs/Containerfile.dockerignore").read_text().split()


def steps(keyword):
    """The arguments of the steps of this kind."""
    return re.findall(rf"^{keyword} (.*)$", RECIPE, re.MULTILINE)


def ignored(name):
    """Whether a path is left out of the image: the last matching line decides."""
    left_out = False
    for line in IGNORED:
        pattern = line.removeprefix("!")
        if fnmatch(name, pattern) or name.startswith(f"{pattern}/"):
            left_out = not line.startswith("!")
    return left_out


def test_results_and_environments_stay_out_of_the_image():
    assert ignored(".venv")
    assert ignored("results/exp1")
    assert ignored("figures/fig08_simstudy.pdf")
    assert not ignored("results/README.md")
    assert not ignored("Snakefile")


@pytest.mark.slow
def test_its_steps_run_in_a_fresh_folder(tmp_path):
    """`make setup` as in the recipe, then `make` and `make verify` for one small table.

    Compiled kernels are taken along: compiling them takes minutes, and CI does so at its start.
    """
    folder = tmp_path / "permconf"
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    kernels = [path.relative_to(ROOT).as_posix() for path in (ROOT / "scripts").rglob("*.nb[ci]")]
    for name in filter(None, [*tracked, *kernels]):
        if not ignored(name) and (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    environment = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}
    commands = [
        *(step for step in steps("RUN") if "apt-get" not in step),
        ".venv/bin/permconf run results/stratified.csv",
    ]
    for command in [*commands, "make verify"]:
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^results/stratified.csv +identical: 368 rows$", done.stdout, re.MULTILINE)
