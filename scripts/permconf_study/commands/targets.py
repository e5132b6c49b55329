"""What a run can be asked for: files, groups of the workflow, scenarios by name."""

import re

from permconf.errors import ConfigError, nearest
from permconf_study.study.configuration import claims_file, members, studies
from permconf_study.study.reserved import GROUPS


def files_of(targets, scenarios):
    """Targets as Snakemake knows them: a scenario stands for its standard figure, with the tables behind it.

    A study stands for its table of cells as well, and for the ledger of its claims if it has any. A family, or a
    scenario that says how, stands for the figure of these cells; a family whose data come from a table for the standard
    figures of its scenarios.
    """
    for part in (part for target in targets for part in re.split("[/.]", target)):
        members(part, scenarios)  # raises if it is a scenario with a fault
    known, files = studies(scenarios), []
    for target in targets:
        family = members(target, scenarios)
        if target not in known or not family:
            files += [_file_of(one, scenarios) for one in family or [target]]
        if target in known:
            drawn = family or "figure" in scenarios[target]
            files.append(f"figures/studies/{target}.pdf" if drawn else f"results/{target}/cells.csv")
            files += [f"results/{target}/claims.csv"] if claims_file(target, scenarios).exists() else []
    return files


def _file_of(target, scenarios):
    if target in scenarios:
        return f"figures/scenarios/{target}.pdf"
    if target in GROUPS or "/" in target:
        return target
    raise ConfigError(f"unknown target {target!r}{nearest(target, (*GROUPS, *scenarios))}")
