"""A clone in a folder whose name has a space; duplicate keys in its config.yaml; variables of make."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def clone(tmp_path_factory, cheap):
    """A copy of the repository with one cheap scenario, under a path with a space and a quotation mark."""
    folder = tmp_path_factory.mktemp("a clone's")
    for name in ("Snakefile", "config.yaml"):
        shutil.copy(ROOT / name, folder)
    for name in ("workflow", "scripts", "envs"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True)
    shutil.rmtree(folder / "workflow/scenarios")
    (folder / "workflow/scenarios").mkdir()
    (folder / "workflow/scenarios/cheap.yaml").write_text(yaml.safe_dump(cheap))
    environment = Path(sys.prefix)
    (folder / ".venv").symlink_to(environment)
    return folder


def run(clone, *arguments):
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(clone), "PYTHONPATH": str(clone / "scripts")}
    command = [str(clone / ".venv/bin/python"), "-m", *arguments]
    return subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_a_space_in_the_path_of_the_clone(clone):
    done = run(clone, "permconf", "run", "results/cheap/curves.csv")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (clone / "results/cheap/curves.csv").exists()


@pytest.mark.slow
def test_duplicate_keys_are_refused_by_both_entries_alike(clone):
    text = (clone / "config.yaml").read_text()
    (clone / "config.yaml").write_text(f"{text}\nseed: 1\n")
    sentence = r"permconf: config.yaml is not valid YAML: key 'seed' is given twice"
    command = run(clone, "permconf", "run", "--dry-run", "results/cheap/curves.csv")
    plain = run(clone, "snakemake", "--dry-run", "results/cheap/curves.csv")
    (clone / "config.yaml").write_text(text)
    assert command.returncode == 2
    assert plain.returncode != 0
    for done in (command, plain):
        assert any(line.startswith(sentence) for line in (done.stdout + done.stderr).splitlines()), done.stderr
        assert "Traceback" not in done.stderr


MAKEFILE = (ROOT / "Makefile").read_text()
VARIABLES = sorted({"SCENARIO", "TARGET", "CONFIG", "CORES", *re.findall(r"\$\((\w+)\)", MAKEFILE)})


@pytest.mark.parametrize("target", ["all", "clean", "test", "cluster-test", "forests", "help"])
def test_variables_of_make_do_not_reach_the_shell(target, tmp_path):
    evil = tmp_path / "evil"
    given = [f"{name}=x; touch {evil};" for name in VARIABLES if name != "MAKEFILE_LIST"]
    done = subprocess.run(["make", "-n", *given, target], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert str(evil) not in done.stdout
    assert not evil.exists()
