"""Settings and scenarios of the run, and the files of a scenario."""

import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

HOME = Path(str(workflow.current_basedir)).parents[1]
sys.path.insert(0, str(HOME / "scripts"))

from permconf.errors import ConfigError
from permconf.study.chunks import blocks, chunks
from permconf.study.code_digest import code_digest
from permconf.study.configuration import checked_settings, scenarios_of
from permconf.study.tables import read_plan

try:
    SETTINGS = checked_settings(config)
    SCENARIOS = scenarios_of(SETTINGS, engines=False)
except ConfigError as error:
    raise WorkflowError(f"permconf: {error}") from None

PLAN = read_plan("results/plan.yaml")  # resources of jobs, never names of files


wildcard_constraints:
    scenario="|".join(SCENARIOS),
    block=r"\d+",
    chunk=r"\d+-\d+",


def in_group(group):
    """Names of the scenarios of a group."""
    return [name for name, scenario in SCENARIOS.items() if scenario["group"] == group]


def files_of(scenario, pattern):
    """One file per chunk (or block) of a scenario."""
    settings = SCENARIOS[scenario]
    return expand(
        pattern,
        scenario=scenario,
        chunk=chunks(settings["datasets"], settings["chunk"]),
        block=blocks(settings["datasets"]),
    )


def scenario_files(pattern):
    """Input function: one file per chunk (or block) of the scenario."""
    return lambda wildcards: files_of(wildcards.scenario, pattern)


def first_datasets(scenario):
    """The file with the first data set of a scenario."""
    return files_of(scenario, "results/{scenario}/datasets/{chunk}.npz")[0]


def planned(key, default):
    """Resource function: what the plan gives for a scenario's jobs (else `default`), more at every new attempt."""
    return lambda wildcards, attempt: attempt * PLAN.get(wildcards.scenario, {}).get(key, default)
