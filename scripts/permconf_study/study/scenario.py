"""Scenario files: read, checked, and completed with defaults.

Whatever is wrong stops a run before it starts, with one sentence that names the file, the key and the value.
"""

import re
from pathlib import Path

from permconf.errors import ConfigError, nearest
from permconf_study.study.parameters import grid_size
from permconf_study.study.reserved import RESERVED
from permconf_study.study.scenario_checks import check_engine, check_scenario
from permconf_study.study.schema import check_schema, read_yaml

DEFAULTS = {
    "split": {"name": "half"},
    "confounder": "levels",
    "adjustment": "none",
    "nulls": ["restricted"],
    "permutations": "test_size",
    "confounder_tests": {},
    "predictions": {},
    "draws": "none",
    "group": "extension",
    "chunk": 1000,
}
DATA_DEFAULTS = {"hypercube": "optimised"}
TABLE = ("table", "response", "confounders", "features", "groups")  # keys of data that come from a table
TABLE_DEFAULTS = {"confounder": "smooth", "predictions": {"permutations": 999, "bootstrap": 200}}


def load_scenarios(folder, config, *, engines=True):
    """All scenarios of a folder, by name, checked and completed; `config` may override data sets and chunk size.

    Without `engines`, what takes seconds to import is left to `check_engine`: whether learner and adjustment can be
    made.
    """
    folder = Path(folder)
    paths = sorted(path for path in folder.glob("*.y*ml") if not path.name.startswith("."))
    if not paths:
        raise ConfigError(f"scenario_dir: there is no scenario file (*.yaml) in {folder}")
    for path in paths:
        check_name(path.stem, path.name)
        if path.suffix != ".yaml":
            raise ConfigError(f"{path.name}: the name of a scenario file ends in .yaml")
    raw = {path.stem: read_yaml(path) for path in paths}
    for name, scenario in raw.items():
        check_schema(scenario, "scenario", f"{name}.yaml")
    scenarios = {name: _complete(name, scenario, raw, config) for name, scenario in raw.items()}
    if engines:
        for scenario in scenarios.values():
            check_engine(scenario)
    return scenarios


def check_name(name, where):
    """Raise ConfigError, beginning with `where`, unless `name` can be a scenario: it becomes part of paths."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) or name in RESERVED:
        raise ConfigError(
            f"{where}: a scenario's name is made of letters, digits, _ and -, begins with a letter"
            f" and is none of {', '.join(RESERVED)}"
        )


def _complete(name, scenario, raw, config):
    """A scenario with every key present, its data resolved and overrides applied."""
    stream, data = _data(name, raw)
    table = {key: data[key] for key in TABLE if key in data} if "table" in data else None
    defaults = DEFAULTS | TABLE_DEFAULTS if table else DEFAULTS
    settings = defaults | {k: v for k, v in scenario.items() if k != "data"}
    if isinstance(settings["split"], str):
        settings["split"] = {"name": settings["split"]}
    data_defaults: dict = {"parameters": {}} if table else DATA_DEFAULTS
    settings |= {
        "name": name,
        "stream": stream,
        "table": table,
        "data": data_defaults | {k: v for k, v in data.items() if k != "datasets"},
        "datasets": data["datasets"],
        "chunk": config.get("chunk") or settings["chunk"],
    }
    check_scenario(settings, f"{name}.yaml")
    return settings | {"datasets": _datasets(settings, config, f"{name}.yaml")}


def _data(name, raw):
    """Random stream and data of a scenario: its own, those of another scenario, or new data like another's."""
    data = raw[name]["data"]
    if isinstance(data, str):
        own = [other for other, scenario in raw.items() if not isinstance(scenario["data"], str)]
        _check_reference(f"{name}.yaml: data", data, own)
        return _data(data, raw)
    return name, (_like(name, data, raw) if "like" in data else data)


def _like(name, data, raw):
    """The data of the scenario that `like` names, overridden key by key, and parameters name by name."""
    given = {key: value for key, value in data.items() if key != "like"}
    own = [k for k, s in raw.items() if not isinstance(s["data"], str) and "like" not in s["data"]]
    _check_reference(f"{name}.yaml: data.like", data["like"], own)
    base, changed = raw[data["like"]]["data"], given.get("parameters", {})
    if "rows" in base and "rows" not in given:
        for hidden in changed.keys() & {parameter for row in base["rows"] for parameter in row}:
            raise ConfigError(f"{name}.yaml: data.parameters gives {hidden!r}, but the rows of {data['like']!r} set it")
    return base | given | ({"parameters": base["parameters"] | changed} if "parameters" in base else {})


def _check_reference(where, name, known):
    if name not in known:
        raise ConfigError(f"{where} names no scenario with data of its own: {name!r}{nearest(name, known)}")


def _datasets(settings, config, file):
    """How many data sets: as overridden, but never fewer than one of each combination of parameters."""
    cells = grid_size(settings["data"]["parameters"], settings["data"].get("rows", ()))
    datasets = settings["datasets"]
    if datasets < cells:
        raise ConfigError(f"{file}: data.datasets is {datasets}, fewer than the {cells} combinations of values")
    return datasets if datasets == cells else max(config.get("datasets") or datasets, cells)
