"""The contract of one plugin file, tested in seconds: `permconf check FILE`."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd

from permconf import registry
from permconf.errors import ConfigError, nearest, one_line
from permconf_study.study.cells import RESULTS
from permconf_study.study.paths import HOME

CONTRACTS = HOME / "tests/contract"


def main(options):
    """Run the tests of a plugin's kind on it; exit code 1 if one fails."""
    path = Path(options.file).resolve()
    kind, folder = path.parent.name, path.parent.parent
    if kind not in registry.KINDS:
        hint = nearest(kind, registry.KINDS)
        raise ConfigError(f"{options.file}: the folder of a plugin has the name of its kind{hint}")
    if not path.is_file():
        raise ConfigError(f"{options.file} does not exist")
    registry.use_folder(folder)
    try:
        plugin = registry.load(kind, path.stem)
    except ValueError as error:
        raise ConfigError(one_line(error)) from error
    if kind == "figures":
        return _check_figure(plugin, path)
    if not CONTRACTS.is_dir() or importlib.util.find_spec("pytest") is None:
        raise ConfigError("the contract is in tests/contract of the repository, and needs pytest (make setup)")
    tests = CONTRACTS / f"test_{kind}.py"
    chosen = ["-k", f"[{path.stem}] or [{path.stem}-"]
    quiet = ["-q", "-p", "no:cacheprovider", "--tb=short", "--no-header", "-n", "0"]
    command = [sys.executable, "-m", "pytest", *quiet, "--plugin-folder", str(folder), *chosen, str(tests)]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False)
    broken = re.findall(
        rf"^_+ test_(\w+).* _+$|^E {3}(\S.*)|^\S*{re.escape(path.name)}:(\d+): in", done.stdout, re.MULTILINE
    )
    for test, message, line in broken:
        print(f"{path.name}: {test.replace('_', ' ')}: not so" if test else f"  {message or f'in line {line}'}")
    counts = re.search(r"(?:\d+ failed, )?\d+ passed", done.stdout)
    print(f"{path.name}: {counts[0]}" if counts else done.stdout + done.stderr)
    return 1 if done.returncode else 0


def _check_figure(plugin, path):
    """Draw the figure of a table with two cells."""
    cells = pd.DataFrame(
        [
            {"scenario": "a", "metric": "auc", "measure": measure, "of": of, "alpha": 0.05, "value": 0.5, "low": 0.4}
            for measure, of in (("rejection_rate", "response"), ("bias", "observed"))
        ],
        columns=["scenario", *RESULTS],
    )
    try:
        drawn = plugin(cells.assign(high=0.6))
    except Exception as error:
        print(f"{path.name}: {type(error).__name__}: {one_line(error)}")
        return 1
    if not hasattr(drawn, "savefig"):
        print(f"{path.name}: it gives {type(drawn).__name__} where a matplotlib Figure is needed")
        return 1
    print(f"{path.name}: drawn")
    return 0
