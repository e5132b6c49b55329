"""Settings and scenarios of the run. What rules need to know about them is in permconf_study.study.steps."""

import os
import re
from functools import cache

from permconf.errors import ConfigError
from permconf_study.study import snakemake_patches as patches
from permconf_study.study.code_digest import content_digest, keep_code
from permconf_study.study.configuration import checked_settings, claims_file, scenarios_of, studies, study_title
from permconf_study.study.estimators import has_truth, truth_columns, truth_datasets
from permconf_study.study.parameters import varied_parameters
from permconf_study.study.rules import complete_rules
from permconf_study.study.scenario_checks import check_draws, check_engine
from permconf_study.study.schema import read_yaml
from permconf_study.study.steps import ANALYSIS, Steps
from permconf_study.study.tables import read_plan

RULES_BEFORE = len(list(workflow.rules))  # of a workflow that uses this one as a module


def stop(error):
    """End with one sentence and exit code 2; Snakemake would add a traceback to an exception."""
    print(f"permconf: {error}", file=sys.stderr)
    sys.exit(2)


try:
    for file in {HOME / "config.yaml", *map(Path, workflow.configfiles)}:
        read_yaml(file)  # Snakemake itself accepts a key that is given twice
    SETTINGS = checked_settings(config)
    SCENARIOS = scenarios_of(SETTINGS, engines=False)
    STEPS = Steps(SCENARIOS, SETTINGS, read_plan("results/plan.yaml"))
except ConfigError as error:
    stop(error)

SCENARIOS.refuse = stop
EXTENSIONS = [name for name in STEPS.in_group("extension") if name in SCENARIOS]
patches.quote_interpreter()
patches.end_when_done()
if workflow.is_main_process:
    for sentence in dict.fromkeys(str(fault.error) for fault in SCENARIOS.faults.values()):
        print(f"permconf: left out: {sentence}", file=sys.stderr)
    LOCK = patches.prepare_run_folder()
    patches.patch_slurm_plugin(workflow)
    patches.patch_group_errors()


onstart:
    keep_code()
    if workflow.is_main_process:
        patches.fork_scripts()


wildcard_constraints:
    scenario="|".join(map(re.escape, [*SCENARIOS, *SCENARIOS.faults])),
    fingerprint="[0-9a-f]{16}",
    block=r"\d+",
    chunk=r"\d+-\d+",


def shown(path, category, caption, **labels):
    """An output that Snakemake's own report shows, with a caption of workflow/report."""
    return report(path, category=category, caption=f"../report/{caption}.rst", labels=labels)


def chunks_of(wildcards):
    """The chunks of a scenario; stops before anything runs if one is missing and cannot be made."""
    paths = STEPS.files_of(wildcards.scenario, "chunks")
    if not all(map(os.path.exists, paths)):
        check_engine_once(wildcards.scenario)
    return paths


@cache
def check_engine_once(name):
    """Stop if the learner or the adjustment of a scenario cannot be made, or no data set can be drawn."""
    try:
        check_engine(SCENARIOS[name])
        check_draws(SCENARIOS[name], SETTINGS["seed"])
    except ConfigError as error:
        stop(error)


def redraw_settings(names):
    """What the redraws of scenarios depend on."""
    settings = ("stream", "data", "datasets", *ANALYSIS)
    return {name: {key: SCENARIOS[name][key] for key in settings} for name in names}


def existing(paths):
    """Contents of files that exist. They are parameters and not inputs, so that nothing tries to make them."""
    return {path: content_digest(path) for path in paths if Path(path).exists()}


STUDIES = studies(SCENARIOS) | {group: STEPS.in_group(group) for group in ("stress", "arena")}


def study_parts(wildcards):
    """What the table of cells needs to know of each scenario of a study."""
    chosen = [SCENARIOS[name] for name in STUDIES[wildcards.family]]
    return [
        {
            "scenario": one["name"],
            "cell": one["cell"],
            "varied": varied_parameters(one["data"]),
            "truth": one.get("truth", {}),
            "reference": one.get("reference", {}),
            "has_truth": has_truth(one),
        }
        for one in chosen
    ]


def tables_of_study(table, chosen=lambda scenario: True):
    """Input function: a table of every scenario of a study."""
    return lambda wildcards: [
        f"results/{name}/{table}" for name in STUDIES[wildcards.family] if chosen(SCENARIOS[name])
    ]


def study_setting(key, default):
    """Parameter function: a setting of a study that all of its scenarios share."""
    return lambda wildcards: SCENARIOS[STUDIES[wildcards.family][0]].get(key, default)


def study_claims_file(wildcards):
    """The file of a study's claims."""
    return str(claims_file(wildcards.family, SCENARIOS))


def study_claims_tables(wildcards):
    """The tables of a study's claims."""
    try:
        return required_tables(load_claims(study_claims_file(wildcards)))
    except ConfigError as error:
        stop(error)
