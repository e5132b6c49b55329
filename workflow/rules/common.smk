"""Settings and scenarios of the run. What rules need to know about them is in permconf_study.study.steps."""

from functools import cache

from permconf.errors import ConfigError
from permconf_study.study.code_digest import content_digest
from permconf_study.study.configuration import checked_settings, scenarios_of
from permconf_study.study.rules import complete_rules
from permconf_study.study.scenario_checks import check_draws, check_engine
from permconf_study.study.schema import read_yaml
from permconf_study.study.snakemake_patches import patch_slurm_plugin, prepare_run_folder, quote_interpreter
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

quote_interpreter()
if workflow.is_main_process:
    LOCK = prepare_run_folder()
    patch_slurm_plugin(workflow)


wildcard_constraints:
    scenario="|".join(SCENARIOS),
    fingerprint="[0-9a-f]{16}",
    block=r"\d+",
    chunk=r"\d+-\d+",


def analysis_settings(wildcards):
    """What the nulls and tests of a scenario depend on; stops before anything runs if its learner cannot be made."""
    check_engine_once(wildcards.scenario)
    return STEPS.analysis(wildcards)


@cache
def check_engine_once(name):
    """Stop if the learner or the adjustment of a scenario cannot be made, or no data set can be drawn."""
    try:
        check_engine(SCENARIOS[name])
        if workflow.is_main_process:
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
