"""The descriptions of the environment agree with each other."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
CONDA_NAMES = {"matplotlib-base": "matplotlib"}


def _lock():
    text = (ROOT / "envs/requirements.lock").read_text()
    return {name.lower(): version for name, version in re.findall(r"^([A-Za-z0-9_.-]+)==([^\s;]+)", text, re.MULTILINE)}


def test_conda_pins_equal_the_lock_file():
    dependencies = yaml.safe_load((ROOT / "envs/permconf.yaml").read_text())["dependencies"]
    pins = [d.split("=") for d in dependencies if isinstance(d, str) and "=" in d and not d.startswith("python=")]
    pins += [d.split("==") for d in next(d["pip"] for d in dependencies if isinstance(d, dict))]
    assert len(pins) >= 10
    for name, version in pins:
        assert _lock()[CONDA_NAMES.get(name, name).lower()] == version, name


def test_every_locked_package_has_hashes():
    text = (ROOT / "envs/requirements.lock").read_text()
    packages = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    assert len(packages) > 50
    assert all("--hash=sha256:" in package for package in packages)


def test_every_dependency_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    requirements = project["dependencies"] + extras["workflow"] + extras["dev"]
    names = [re.match(r"[A-Za-z0-9_.-]+", requirement).group() for requirement in requirements]
    assert {"numpy", "snakemake", "pytest"} <= set(names)
    for name in names:
        assert name.lower() in _lock(), name
