"""Learners, metrics, generators and adjustments by name: one Python file each, in this package or in a user's folder.

A file `<folder>/learners/nearest_mean.py` that defines `LEARNER` makes the learner `nearest_mean` available; likewise
`METRIC`, `GENERATOR`, `ADJUSTMENT` and `FIGURE` in the folders of their kind.
"""

import importlib
import sys
from collections.abc import Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

from permconf.errors import habit, one_line

_PACKAGE = Path(__file__).parent
KINDS = {
    "learners": "LEARNER",
    "metrics": "METRIC",
    "generators": "GENERATOR",
    "adjustments": "ADJUSTMENT",
    "figures": "FIGURE",  # of studies; the package has none
}
_folders = [_PACKAGE]


class UnknownName(ValueError):
    """A name without a plugin file; the message suggests the most similar one."""


class BrokenPlugin(ValueError):
    """A plugin file that cannot be imported."""


def use_folder(folder):
    """Look for plugins in `folder` too, before those of the package."""
    folder = Path(folder).resolve()
    if folder not in _folders:
        _folders.insert(0, folder)
        sys.path += [str(folder / kind) for kind in KINDS]  # modules beside a plugin, such as _helper.py
        load.cache_clear()


def is_shipped(path):
    """Whether a plugin file is part of the package."""
    return path.is_relative_to(_PACKAGE)


def path_of(kind, name):
    """The file of a plugin, or None if there is none (dotted names)."""
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
    """The object defined by plugin file `name` of this kind."""
    files = _files(kind)
    if name not in files:
        raise UnknownName(f"unknown {kind[:-1]} {name!r}{habit(name, files)}")
    path = files[name]
    try:
        module = _import(kind, path)
    except (Exception, SystemExit) as error:
        raise BrokenPlugin(f"{path} cannot be imported: {type(error).__name__}: {one_line(error)}") from error
    if not hasattr(module, KINDS[kind]):
        raise UnknownName(f"{path} defines no {KINDS[kind]}, so it is not a {kind[:-1]}")
    return getattr(module, KINDS[kind])


def loaded(kind, name, type_):
    """The object defined by plugin file `name`, which has to be of this type."""
    if not isinstance(found := load(kind, name), type_):
        given = f"{KINDS[kind]} is of type {type(found).__name__}"
        raise BrokenPlugin(f"{path_of(kind, name)}: {given}; write {KINDS[kind]} = {type_.__name__}(...)")
    return found


def _import(kind, path):
    if is_shipped(path):
        return importlib.import_module(f"permconf.{kind}.{path.stem}")
    name = f"permconf_plugin_{kind}_{path.stem}"
    loader = SourceFileLoader(name, str(path))
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses look up the module of a class here
    loader.exec_module(module)
    return module


def name_and_options(kind, spec):
    """The name and the options of a plugin, given as a name or as a mapping with a name and options."""
    options = {"name": spec} if isinstance(spec, str) else spec
    if not (isinstance(options, Mapping) and isinstance(options.get("name"), str)):
        raise ValueError(f"{kind[:-1]} must be a name, or a mapping with a name and options, not {spec!r}")
    return options["name"], {key: value for key, value in options.items() if key != "name"}


def made(kind, name, options):
    """An instance, with these options, of the class defined by plugin file `name` of this kind."""
    if not isinstance(plugin := load(kind, name), type):
        given = f"{KINDS[kind]} is of type {type(plugin).__name__}"
        raise BrokenPlugin(f"{path_of(kind, name)}: {given}; a class is needed")
    try:
        return plugin(**options)
    except TypeError as error:
        raise ValueError(f"{kind[:-1]} {name!r}: {error}") from error
