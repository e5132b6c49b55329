"""What the commands of the project (`make plan`, `make replay`, ...) share: configuration, scenarios, errors."""

import sys
from pathlib import Path

import yaml

from permconf import plugins
from permconf.config import CONFIG_DEFAULTS, check_config, load_scenarios
from permconf.plugins import nearest
from permconf.schemas import ConfigError, read_yaml

HOME = Path(__file__).parents[2]


def add_config_option(parser):
    """Let a command take `--config key=value ...`, as Snakemake does."""
    parser.add_argument(
        "--config", nargs="+", default=[], metavar="KEY=VALUE", help="in place of values in config.yaml"
    )


def configured(overrides=()):
    """The configuration with overrides (`key=value`), and all scenarios by name."""
    config = read_yaml(HOME / "config.yaml")
    for override in overrides:
        key, equals, value = override.partition("=")
        if not equals:
            raise ConfigError(f"--config takes key=value, not {override!r}")
        config[key] = yaml.safe_load(value)
    return config, prepared_scenarios(config, HOME)


def prepared_scenarios(config, home, *, engines=True):
    """Check a configuration, take paths in it from `home`, look for plugins, and load all scenarios.

    `engines` as in `load_scenarios`.
    """
    check_config(config)
    for key, value in CONFIG_DEFAULTS.items():
        config.setdefault(key, value)
    for key in ("scenario_dir", "plugins"):
        if config.get(key):
            config[key] = str(Path(home) / config[key])
    try:
        plugins.use_configured(config)
    except ValueError as error:
        raise ConfigError(f"config.yaml: {error}") from error
    return load_scenarios(config["scenario_dir"], config, engines=engines)


def chosen_scenario(name, scenarios):
    """The scenario of this name."""
    if name not in scenarios:
        raise ConfigError(f"unknown scenario {name!r}{nearest(name, scenarios)}")
    return scenarios[name]


def run(main):
    """Run a command; what a user got wrong is one sentence and exit code 2."""
    try:
        sys.exit(main())
    except ConfigError as error:
        print(f"permconf: {error}", file=sys.stderr)
        sys.exit(2)
