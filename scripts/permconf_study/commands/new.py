"""A commented scenario file to start from, valid as it is: `permconf new`."""

import os

from permconf.errors import ConfigError
from permconf_study.study.configuration import checked_settings, read_settings
from permconf_study.study.paths import HOME, located
from permconf_study.study.scenario_files import check_name, read_drafts

STARTER = HOME / "workflow" / "starter.yaml"


def write_starter(name, folder):
    """Write `name`.yaml into a folder of scenarios and return its path; an existing file is never overwritten."""
    check_name(name, repr(name))
    path = folder / f"{name}.yaml"
    if path.exists():
        raise ConfigError(f"{path} already exists and is not overwritten")
    for draft in read_drafts(folder).values():
        if name in (draft.name, draft.path.stem):
            raise ConfigError(f"the name {name!r} is already used in {draft.path}")
    path.write_text(STARTER.read_text().replace("NAME", name))
    return path


def main(options):
    """Write the file and print the next steps."""
    folder = located(checked_settings(read_settings())["scenario_dir"])
    path = write_starter(options.name, folder)
    print(f"Wrote {os.path.relpath(path)}. Edit it, then:")
    print(f"  permconf plan {options.name}")
    print(f"  permconf run {options.name}")
