"""The settings of a run: config.yaml with overrides, checked and completed, and its scenarios."""

from pathlib import Path

import yaml

from permconf.errors import ConfigError, nearest
from permconf_study.study.broken_scenarios import Scenarios
from permconf_study.study.paths import HOME, PLUGINS, located, use_plugins
from permconf_study.study.scenario import load_scenarios
from permconf_study.study.scenario_files import CLAIMS
from permconf_study.study.schema import check_schema, read_yaml

DEFAULTS = {
    "scenario_dir": "workflow/scenarios",
    "plugins": PLUGINS,
    "datasets": None,
    "chunk": None,
    "alpha_steps": 200,
    "max_failed": 0.05,
}


def read_settings(overrides=()):
    """config.yaml with overrides (`key=value`)."""
    return read_yaml(HOME / "config.yaml") | parsed(overrides)


def parsed(overrides):
    """The values of overrides (`key=value`), by key."""
    values = {}
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals:
            raise ConfigError(f"--config expects key=value, not {override!r}")
        try:
            values[key] = yaml.safe_load(value)
        except (yaml.YAMLError, ValueError, RecursionError):
            raise ConfigError(f"--config {key}: {value[:40]!r} is not a value") from None
    return values


def checked_settings(config):
    """Settings with every key present; `config` is the content of config.yaml, with any overrides."""
    check_schema(config, "config", "config.yaml")
    return DEFAULTS | config


def scenarios_of(settings, *, engines=True):
    """The valid scenarios of the folder given in the settings, by name (`engines` as in `load_scenarios`)."""
    use_plugins(settings)
    faults: dict = {}
    found = load_scenarios(located(settings["scenario_dir"]), settings, engines=engines, faults=faults)
    return Scenarios(found, faults)


def configured(overrides=(), *, engines=True):
    """Settings and scenarios of a command with `--config key=value ...`."""
    settings = checked_settings(read_settings(overrides))
    return settings, scenarios_of(settings, engines=engines)


def chosen_scenario(name, scenarios):
    """The scenario of this name."""
    try:
        return scenarios[name]
    except KeyError:
        if found := members(name, scenarios):
            text = f"{name} is a grid of {len(found)} scenarios; name one, such as {found[0]}"
            raise ConfigError(text) from None
        raise ConfigError(f"unknown scenario {name!r}{nearest(name, scenarios)}") from None


def chosen_scenarios(names, scenarios):
    """The scenarios of these names, in that order; the name of a family stands for all of its scenarios."""
    chosen = [chosen_scenario(one, scenarios) for name in names for one in members(name, scenarios) or [name]]
    return {scenario["name"]: scenario for scenario in chosen}


def studies(scenarios):
    """The scenarios of each study with generated data, in the order of its file, by the name of the file."""
    found: dict = {}
    for name, scenario in sorted(scenarios.items(), key=lambda item: item[1].get("place", 0)):
        if not scenario["table"]:
            found.setdefault(scenario["family"] or name, []).append(name)
    return found


def study_title(study, scenarios):
    """The title that all scenarios of a study have, otherwise its name."""
    titles = {scenarios[name]["title"] for name in studies(scenarios).get(study, ())}
    return titles.pop() if len(titles) == 1 else study


def claims_file(study, scenarios):
    """The file of the claims of a study, beside its scenario file; it need not exist."""
    known = studies(scenarios)
    if study not in known:
        raise ConfigError(f"unknown study {study!r}{nearest(study, known)}")
    return Path(scenarios[known[study][0]]["file"]).with_suffix(CLAIMS)


def members(family, scenarios):
    """The names of the scenarios of a family, none if a scenario itself has this name; raises if one has a fault."""
    try:
        scenarios[family]
    except KeyError:
        return [name for name, scenario in scenarios.items() if scenario["family"] == family]
    return []
