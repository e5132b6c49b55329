"""Scenario files as they are written, and the scenarios that each defines.

A file defines one scenario, or with `grid` a family: one scenario for each combination of the values of the grid's
variables, but for those that `leave_out` leaves out.
"""

import itertools
import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from permconf.errors import ConfigError, nearest
from permconf.expressions import condition
from permconf_study.study.broken_scenarios import collected
from permconf_study.study.parameters import DERIVATIONS, SPREADS
from permconf_study.study.reserved import RESERVED
from permconf_study.study.schema import check_schema, known_keys, read_yaml

MOST_CELLS = 10_000
RESULTS = "results"  # of a run in the folder of the scenarios: its files are none
FILE_ONLY = ("name", "grid", "leave_out")
CLAIMS = ".claims.yaml"  # ending of the file of a study's claims, beside its scenario file
TEXTS = ("title", "description")


@dataclass(frozen=True)
class Draft:
    """One scenario as written, before the scenarios that it refers to are looked up."""

    path: Path
    name: str
    stream: str  # of its data sets, unless it uses those of another scenario
    layers: tuple  # settings: those of the file, then what each variable of the grid changes
    family: str | None = None
    cell: dict = field(default_factory=dict)
    labels: dict = field(default_factory=dict)  # of values of the cell, by variable
    place: int = 0  # in the file
    cells: list = field(default_factory=list)  # all cells of the file

    @property
    def where(self):
        """How messages begin."""
        return self.path.name if self.family is None else f"{self.path.name} ({self.name})"


@dataclass(frozen=True)
class Variable:
    """A variable of a grid: for each label its value, as results show it, and what it changes in the scenario."""

    name: str
    values: dict
    changes: dict

    @property
    def labels(self):
        """The label of each value, unless it is the value itself."""
        return {
            value: label for label, value in self.values.items() if label not in ("", str(value), str(value).lower())
        }

    @property
    def of_data(self):
        """Whether it changes the data sets, so that these cannot be shared by its values."""
        return any({"data", "like"} & change.keys() for change in self.changes.values())


def check_name(name, where):
    """Raise ConfigError, beginning with `where`, unless `name` can be a scenario: it becomes part of paths."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) or name in RESERVED:
        raise ConfigError(
            f"{where}: a scenario's name is made of letters, digits, _ and -, begins with a letter"
            f" and is none of {', '.join(RESERVED)}"
        )


def read_drafts(folder, faults=None):
    """The scenarios in the files of a folder and of the folders in it, by name (`faults` as in `collected`)."""
    defined: dict = {}
    drafts: dict = {}
    for path in sorted(path for pattern in ("*.y*ml", "*/*.y*ml") for path in folder.glob(pattern)):
        parts = path.relative_to(folder).parts
        if parts[0] == RESULTS or path.name.endswith(CLAIMS) or any(part.startswith(".") for part in parts):
            continue
        with collected(faults, path, path.stem):
            made = _drafts_of(path)
            for name in {path.stem, *(draft.name for draft in made)}:
                with collected(faults, path, name):
                    if name in defined:
                        here, there = (one.relative_to(folder) for one in (path, defined[name]))
                        raise ConfigError(f"{here}: the name {name!r} is also that of a scenario or file in {there}")
                defined[name] = path
            drafts |= {draft.name: draft for draft in made}
    return dict(sorted(drafts.items()))


def _drafts_of(path):
    """The scenarios that a file defines."""
    check_name(path.stem, path.name)
    if path.suffix != ".yaml":
        raise ConfigError(f"{path.name}: the name of a scenario file ends in .yaml")
    content = read_yaml(path)
    shared = {key: value for key, value in content.items() if key not in FILE_ONLY}
    if "grid" not in content:
        for key in (key for key in FILE_ONLY if key in content):
            raise ConfigError(f"{path.name}: {key} is for files with a grid")
        return [Draft(path, path.stem, path.stem, (shared,))]
    check_schema({key: content[key] for key in FILE_ONLY if key in content}, "grid", path.name)
    variables = [_variable(str(key), given, path.name) for key, given in content["grid"].items()]
    pattern = content.get("name", path.stem + "".join(f"_{{{variable.name}}}" for variable in variables))
    _check_names(pattern, content.get("title"), variables, path.name)
    drafts = _cells(path, shared, variables, pattern, content.get("leave_out", ()))
    if not drafts:
        raise ConfigError(f"{path.name}: leave_out leaves no combination of the grid")
    return drafts


def _is_left_out(cell, given, file):
    """Whether a condition, or one of several, is true of a cell."""
    try:
        return any(condition(text, cell)(cell) for text in ([given] if isinstance(given, str) else given))
    except ValueError as error:
        raise ConfigError(f"{file}: leave_out: {error}") from error


def _cells(path, shared, variables, pattern, leave_out):
    """The scenarios of a grid, one for each combination of values that is not left out."""
    if (number := math.prod(len(variable.values) for variable in variables)) > MOST_CELLS:
        raise ConfigError(f"{path.name}: grid has {number} combinations, more than {MOST_CELLS}")
    named = {variable.name: variable.labels for variable in variables}
    drafts: dict = {}
    cells: list = []
    for labels in itertools.product(*(variable.values for variable in variables)):
        chosen = dict(zip((variable.name for variable in variables), labels, strict=True))
        cell = {variable.name: variable.values[chosen[variable.name]] for variable in variables}
        if _is_left_out(cell, leave_out, path.name):
            continue
        cells.append(cell)
        of_data = {variable.name: chosen[variable.name] for variable in variables if variable.of_data}
        stream = _filled_name(pattern, of_data)
        name = _filled_name(pattern, chosen)
        check_name(name, f"{path.name}: {name!r}")
        if name in drafts:
            raise ConfigError(f"{path.name}: name {pattern!r} calls two scenarios {name!r}; name every variable in it")
        shown = {name: named[name].get(value, value) for name, value in cell.items()}
        layers = (shared, *(variable.changes[chosen[variable.name]] for variable in variables))
        drafts[name] = Draft(
            path,
            name,
            stream=stream if stream[:1].isalpha() else f"{path.stem}_{stream}".rstrip("_"),
            layers=tuple(_with_values(layer, shown) for layer in layers),
            family=path.stem,
            cell=cell,
            labels=named,
            place=len(drafts),
            cells=cells,
        )
    return list(drafts.values())


def _variable(key, given, file):
    """A variable of a grid.

    It is a key (`learner`, `split.test_size`), a parameter of the generator, or a name of the user's: then its values
    are mappings of what each of them changes.
    """
    labelled = given if isinstance(given, dict) else _labelled(key, given, file)
    labelled = {str(label): value for label, value in labelled.items()}
    if "." in key or (key in known_keys("scenario") and key not in FILE_ONLY):
        place = key.split(".")
    elif isinstance(given, dict) and all(_is_change(value) for value in given.values()):
        for label, change in labelled.items():
            for key_of_file in {*FILE_ONLY} & (change or {}).keys():
                raise ConfigError(f"{file}: grid.{key}.{label} cannot have the key {key_of_file!r}")
        return Variable(key, {label: label for label in labelled}, {k: v or {} for k, v in labelled.items()})
    else:
        place = ["data", "parameters", key]
        for value in labelled.values():
            if not isinstance(value, int | float | dict):
                hint = nearest(key, known_keys("scenario"))
                raise ConfigError(f"{file}: grid.{key} is no key of a scenario, and {value!r} is no parameter{hint}")
    values = {label: label if isinstance(value, dict | list) else value for label, value in labelled.items()}
    return Variable(place[-1], values, {label: _nested(place, value) for label, value in labelled.items()})


def _is_change(value):
    """Whether a value in a grid is a mapping of settings, not a parameter such as `{uniform: [0, 1]}`."""
    return value is None or (isinstance(value, dict) and not value.keys() & {*SPREADS, *DERIVATIONS})


def _nested(place, value):
    for key in reversed(place):
        value = {key: value}
    return value


def _labelled(key, values, file):
    """A list of values by their labels: a name without the dots before it, or a number."""
    labelled = {}
    for value in values:
        named = value.get("name") if isinstance(value, dict) else value
        label = named.rpartition(".")[2] if isinstance(named, str) else str(named).lower()
        if not isinstance(named, str | int | float) or label in labelled:
            raise ConfigError(f"{file}: grid.{key} needs a label for {value!r}: give a mapping of labels to values")
        labelled[label] = value
    return labelled


def _check_names(pattern, title, variables, file):
    """Whether variables are distinct, and `{...}` in the pattern of names and in the title are variables."""
    names = [variable.name for variable in variables]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{file}: grid has two variables {name!r}")
    without_formulas = re.sub(r"\$.*?\$", "", str(title))
    for key, text, known in (("name", pattern, names), ("title", without_formulas, [*names, "title"])):
        for name in re.findall(r"\{(.*?)\}", text):
            if name not in known:
                raise ConfigError(f"{file}: {key}: {name!r} is no variable of the grid{nearest(name, known)}")


def _filled_name(pattern, labels):
    """A name with labels in the places of variables (0.5 becomes 0p5), or nothing, not even the separator before it."""

    def filled(match):
        label = re.sub(r"(?<=\d)\.(?=\d)", "p", labels.get(match[2], ""))
        return f"{match[1]}{label}" if label else ""

    return re.sub(r"([_-]?)\{(.*?)\}", filled, pattern).lstrip("_-")


def _with_values(layer, cell):
    """Settings with values in the places of variables in title and description."""
    texts = {key: layer[key] for key in TEXTS if isinstance(layer.get(key), str)}
    for name, value in cell.items():
        texts = {key: text.replace(f"{{{name}}}", str(value)) for key, text in texts.items()}
    return layer | texts
