"""`make scenario NAME=x`: a commented scenario file to start from, valid as it is."""

import argparse
import os
from pathlib import Path

from permconf.errors import ConfigError
from permconf.study.configuration import HOME, run
from permconf.study.scenario import CONFIG_DEFAULTS, check_name
from permconf.study.schema import read_yaml

STARTER = HOME / "workflow" / "starter.yaml"


def write_starter(name, folder):
    """Write `name`.yaml into a folder of scenarios and return its path; an existing file is left alone."""
    check_name(name, repr(name))
    path = Path(folder) / f"{name}.yaml"
    if path.exists():
        raise ConfigError(f"{path} exists already, and is left as it is")
    path.write_text(STARTER.read_text().replace("NAME", name))
    return path


def main():
    parser = argparse.ArgumentParser(prog="make scenario", description=__doc__)
    parser.add_argument("name")
    name = parser.parse_args().name
    folder = read_yaml(HOME / "config.yaml").get("scenario_dir", CONFIG_DEFAULTS["scenario_dir"])
    path = write_starter(name, HOME / folder)
    print(f"Wrote {os.path.relpath(path)}. Edit it, then: make plan SCENARIO={name}; make figures/scenarios/{name}.pdf")


if __name__ == "__main__":
    run(main)
