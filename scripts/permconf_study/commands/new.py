"""A commented scenario file or plugin to start from, valid as it is: `permconf new`."""

import os

from permconf import registry
from permconf.errors import ConfigError
from permconf_study.study.configuration import checked_settings, read_settings
from permconf_study.study.paths import HOME, PLUGINS, located
from permconf_study.study.scenario_files import check_name, read_drafts

STARTER = HOME / "workflow" / "starter.yaml"
STARTERS = HOME / "workflow" / "starters"


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


def write_plugin(kind, name, folder):
    """Write `name`.py into the folder of its kind and return its path; an existing file is never overwritten."""
    if not name.isidentifier() or name.startswith("_") or name.endswith("_kernel"):
        raise ConfigError(f"{name!r}: the name of a plugin is a Python name, without _ at its beginning")
    path = folder / kind / f"{name}.py"
    if path.exists() or name in registry.names(kind):
        raise ConfigError(f"there is a {kind[:-1]} {name!r} already")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((STARTERS / f"{kind}.py").read_text().replace("NAME", name))
    return path


def main(options):
    """Write the file and print the next steps."""
    settings = checked_settings(read_settings(options.config))
    if options.kind:
        path = write_plugin(options.kind, options.name, located(settings["plugins"] or PLUGINS))
        print(f"Wrote {os.path.relpath(path)}. Edit it, then:\n  permconf check {os.path.relpath(path)}")
        print(f"Scenario files call it {options.name}.")
        return
    folder = located(settings["scenario_dir"])
    path = write_starter(options.name, folder)
    print(f"Wrote {os.path.relpath(path)}. Edit it, then:")
    print(f"  permconf plan {options.name}")
    print(f"  permconf run {options.name}")
