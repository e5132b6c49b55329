"""Learners, metrics, generators and adjustments by name: one Python file each, in this package or in a user's folder.

A file `<folder>/learners/nearest_mean.py` that defines `LEARNER` makes the learner `nearest_mean` available; likewise
`METRIC`, `GENERATOR` and `ADJUSTMENT` in the folders of their kind.
"""

import difflib
import importlib
import os
import sys
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

_PACKAGE = Path(__file__).parent
_OBJECTS = {"learners": "LEARNER", "metrics": "METRIC", "generators": "GENERATOR", "adjustments": "ADJUSTMENT"}
_VARIABLE = "PERMCONF_PLUGINS"
_folders = [Path(folder) for folder in filter(None, [os.environ.get(_VARIABLE)])] + [_PACKAGE]


class UnknownName(ValueError):
    """A name that no plugin file answers to; the message offers the nearest one."""


def nearest(name, known):
    """A hint like `, did you mean 'auc'?`, or the list of what is known when nothing is near."""
    matches = difflib.get_close_matches(str(name), [str(k) for k in known], n=1, cutoff=0.5)
    return f", did you mean '{matches[0]}'?" if matches else f"; known are {', '.join(sorted(map(str, known)))}"


def use_folder(folder):
    """Look for plugins in `folder` too (before the package's own), also in processes started from now on."""
    folder = Path(folder).resolve()
    os.environ[_VARIABLE] = str(folder)
    if folder not in _folders:
        _folders.insert(0, folder)
        load.cache_clear()


def path_of(kind, name):
    """The file of a plugin, or None if it has none (a dotted name)."""
    return _files(kind).get(name)


def names(kind):
    """All names of one kind, e.g. names("learners")."""
    return sorted(_files(kind))


def _files(kind):
    found = {}
    for folder in reversed(_folders):
        for path in sorted((folder / kind).glob("*.py")):
            if not path.stem.startswith("_") and not path.stem.endswith("_kernel"):
                found[path.stem] = path
    return found


@cache
def load(kind, name):
    """The object that plugin file `name` of this kind defines."""
    files = _files(kind)
    if name not in files:
        raise UnknownName(f"unknown {kind[:-1]} {name!r}{nearest(name, files)}")
    path = files[name]
    module = _import(kind, path)
    if not hasattr(module, _OBJECTS[kind]):
        raise UnknownName(f"{path} defines no {_OBJECTS[kind]}, so it is no {kind[:-1]}")
    return getattr(module, _OBJECTS[kind])


def _import(kind, path):
    if path.is_relative_to(_PACKAGE):
        return importlib.import_module(f"permconf.{kind}.{path.stem}")
    name = f"permconf_plugin_{kind}_{path.stem}"
    loader = SourceFileLoader(name, str(path))
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    loader.exec_module(module)
    return module
