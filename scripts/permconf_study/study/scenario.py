"""Scenarios: read from their files, checked, and completed with defaults.

Whatever is wrong with one is said in one sentence that names the file, the key and the value.
"""

from pathlib import Path

from permconf.errors import ConfigError
from permconf_study.study.broken_scenarios import collected
from permconf_study.study.parameters import combinations
from permconf_study.study.scenario_checks import check_engine, check_reference, check_scenario
from permconf_study.study.scenario_files import read_drafts
from permconf_study.study.scenario_like import written_out

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


def load_scenarios(folder, config, *, engines=True, faults=None):
    """All scenarios of a folder, by name, checked and completed; `config` may override data sets and chunk size.

    Beside its settings, each has the `file` that defines it, and of a grid the `family` (the name of that file), the
    `cell` (its value of each variable) and the `labels` of values. Without `engines`, what takes seconds to import is
    left to `check_engine`: whether learner and adjustment can be made. The first fault is raised, or all are added to
    `faults`.
    """
    drafts = read_drafts(Path(folder), faults)
    if not drafts and not faults:
        raise ConfigError(f"scenario_dir: there is no scenario file (*.yaml) in {folder}")
    scenarios: dict = {}
    first: dict = {}
    for name, (stream, settings) in written_out(drafts, faults).items():
        with collected(faults, drafts[name].path, name, drafts[name].family):
            scenarios[name] = _complete(drafts[name], stream, settings, config)
            _check_stream(scenarios[name], first)
            if engines:
                check_engine(scenarios[name])
    return scenarios


def _complete(draft, stream, given, config):
    """A scenario with every key present and overrides applied."""
    data = given["data"]
    table = {key: data[key] for key in TABLE if key in data} if "table" in data else None
    settings = (DEFAULTS | TABLE_DEFAULTS if table else DEFAULTS) | given
    if isinstance(settings["split"], str):
        settings["split"] = {"name": settings["split"]}
    data_defaults: dict = {"parameters": {}} if table else DATA_DEFAULTS
    settings |= {
        "name": draft.name,
        "where": draft.where,
        "file": str(draft.path),
        "family": draft.family,
        "cell": draft.cell,
        "labels": draft.labels,
        "place": draft.place,
        "stream": stream,
        "table": table,
        "data": data_defaults | {k: v for k, v in data.items() if k not in ("datasets", "per_cell")},
        "chunk": config.get("chunk") or settings["chunk"],
    }
    check_scenario(settings)
    check_reference(settings, draft.cells)
    settings["confounder_tests"] = dict(sorted(settings["confounder_tests"].items()))  # the order of their columns
    return settings | {"datasets": _datasets(draft.where, data, config)}


def _datasets(where, data, config):
    """How many data sets: as overridden, but never fewer than one of each combination of parameters."""
    if "datasets" in data and "per_cell" in data:
        raise ConfigError(f"{where}: data gives datasets and per_cell; leave one of them out")
    if "datasets" not in data and "per_cell" not in data:
        raise ConfigError(f"{where}: key 'datasets' is missing in data")
    cells = combinations(data.get("parameters", {}), data.get("rows", ()))
    datasets = data["datasets"] if "datasets" in data else data["per_cell"] * cells
    if datasets < cells:
        raise ConfigError(f"{where}: data.datasets is {datasets}, fewer than the {cells} combinations of values")
    return datasets if datasets == cells else max(config.get("datasets") or datasets, cells)


def _check_stream(scenario, first):
    """Raise ConfigError if the random numbers are those of other data; `first` is one scenario of each stream."""
    other = first.setdefault(scenario["stream"], scenario)
    if other["data"] != scenario["data"]:
        stream = f"data.stream {scenario['stream']!r}"
        raise ConfigError(f"{scenario['where']}: {stream} is that of {other['name']!r}, whose data differ")
