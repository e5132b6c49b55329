"""What a run can be asked for: files, groups of the workflow, scenarios by name."""

import re

from permconf.errors import ConfigError, nearest
from permconf_study.study.configuration import members, studies
from permconf_study.study.reserved import GROUPS


def files_of(targets, scenarios):
    """Targets as Snakemake knows them: a scenario stands for its standard figure, with the tables behind it.

    A study (a scenario or a family) also stands for its table of cells, a family for the figures of its scenarios.
    """
    for part in (part for target in targets for part in re.split("[/.]", target)):
        members(part, scenarios)  # raises if it is a scenario with a fault
    known = studies(scenarios)
    files = [_file_of(one, scenarios) for target in targets for one in members(target, scenarios) or [target]]
    return files + [f"results/{target}/cells.csv" for target in targets if target in known]


def _file_of(target, scenarios):
    if target in scenarios:
        return f"figures/scenarios/{target}.pdf"
    if target in GROUPS or "/" in target:
        return target
    raise ConfigError(f"unknown target {target!r}{nearest(target, (*GROUPS, *scenarios))}")
