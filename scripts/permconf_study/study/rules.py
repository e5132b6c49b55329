"""What all rules of the workflow have in common, so that none of them repeats it.

Every rule with a script gets the software environment of the project, a log, a benchmark file, the recipe of its
results (its parameters, the parts of scenarios that it reads, and its code) and, if their names are fixed, an input
that is newer than they are if they are out of date. Snakemake 9.27 has no defaults for any of these.
"""

import re
from pathlib import Path

from permconf_study.study.fingerprints import align_times, fingerprint, part_folders, parts, stamp, why_outdated


def complete_rules(rules, environment, *, is_head):
    """Give rules what they have in common; `is_head` tells the head process from its jobs."""
    for rule in rules:
        if rule.norun:
            continue
        rule.conda_env = str(environment)
        if not rule.log:
            rule.log_modifier = rule.workflow.modifier.path_modifier
            rule.set_log(_log_of(rule))
        log = str(rule.log[0])
        if "{fingerprint" not in log:  # parts of a scenario keep their times in a table
            rule.benchmark_modifier = rule.workflow.modifier.path_modifier
            rule.benchmark = log.replace("results/logs/", "results/benchmarks/").replace(".log", ".tsv")
        if rule.script:
            if "recipe" not in dict(rule.params.items()):
                rule.set_params(recipe=_recipe_of(rule))
            if "{fingerprint" not in log:
                rule.set_input(changed=_outdated_input(rule, is_head=is_head))


def _log_of(rule):
    """The log of a rule: `results/logs/<script>`, with the scenario and the part that its results are named by."""
    names = re.findall(r"\{([a-z]\w*)", rule.output[0])
    words = "".join(f"/{{{name}}}" for name in names if name != "fingerprint")
    return f"results/logs/{Path(rule.script).stem}{words}{'.{fingerprint}' * ('fingerprint' in names)}.log"


def _recipe_of(rule):
    """Parameter function: the recipe of a rule, from its other parameters and the parts of scenarios that it reads.

    The parameters `code` (files and modules besides the script) and `plugins` are those of `step_code`.
    """

    def recipe(wildcards):
        settings = {name: _value(value, wildcards) for name, value in rule.params.items() if name != "recipe"}
        own = {"code": settings.pop("code", ()), "plugins": settings.pop("plugins", None)}
        return {"step": Path(rule.script).stem, "settings": [settings, part_folders(_parts(rule, wildcards))], **own}

    return recipe


def _outdated_input(rule, *, is_head):
    """Input function: a stamp that is newer than the results of a step if they exist and are out of date."""

    def changed(wildcards):
        if not is_head:
            return []
        recipe = dict(rule.params.items())["recipe"](wildcards)  # a scenario with a fault stops the run here
        outputs = [str(output.apply_wildcards(wildcards)) for output in rule.output]
        if not all(Path(path).exists() for path in outputs):
            return []
        if why_outdated(outputs[0], fingerprint(**recipe)):
            return [stamp(outputs)]
        align_times(outputs[0], _parts(rule, wildcards), str(rule.benchmark.apply_wildcards(wildcards)))
        return []

    return changed


def _parts(rule, wildcards):
    """The parts of scenarios that a rule reads for these wildcards."""
    return parts([_value(item, wildcards) for name, item in rule.input._allitems() if name != "changed"])


def _value(item, wildcards):
    """An item of a rule for these wildcards: what a function of them returns, or the item itself."""
    function = getattr(item, "callable", None) or (item if callable(item) else None)
    return function(wildcards) if function else item
