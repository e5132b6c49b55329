"""Settings, files, fingerprints and resources of scenarios, for the rules of the workflow.

A recipe is what a step's fingerprint is made of: the arguments of `fingerprints.fingerprint`.
"""

from dataclasses import dataclass, field
from pathlib import Path

from permconf import registry
from permconf_study.study.broken_scenarios import Scenarios
from permconf_study.study.chunks import block_of, blocks, chunk_range, chunks
from permconf_study.study.code_digest import content_digest
from permconf_study.study.configuration import configured
from permconf_study.study.estimators import truth_columns
from permconf_study.study.fingerprints import changed_sentence, fingerprint
from permconf_study.study.paths import located

ANALYSIS = (
    *("stream", "split", "confounder", "adjustment", "learner", "metrics"),
    *("nulls", "permutations", "confounder_tests", "predictions", "draws", "table"),
)
TABLES = ("alpha_steps", "max_failed")
PARTS = {  # step that makes them, and their files
    "design": ("design", "results/{scenario}/design/{fingerprint}/{block}.csv"),
    "datasets": ("simulate", "results/{scenario}/datasets/{fingerprint}/{chunk}.npz"),
    "chunks": ("permutation_nulls", "results/{scenario}/chunks/{fingerprint}/{chunk}.parquet"),
    "truths": ("true_metrics", "results/{scenario}/truths/{fingerprint}/{chunk}.parquet"),
}


def configured_steps(overrides=()):
    """Steps of a command with `--config key=value ...`."""
    settings, scenarios = configured(overrides, engines=False)
    return Steps(scenarios, settings)


@dataclass(frozen=True)
class Steps:
    """The scenarios of a run by name, its settings, and the plan of its jobs (resources, never file names).

    Methods that take `wildcards` are input, parameter and resource functions of rules with a wildcard `scenario`.
    """

    scenarios: Scenarios
    settings: dict
    plan: dict = field(default_factory=dict)
    _found: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    def in_group(self, group):
        """Names of the scenarios of a group, with those that have a fault: what needs them cannot be made."""
        faults = [name for name, fault in self.scenarios.faults.items() if fault.group == group]
        return [name for name, scenario in self.scenarios.items() if scenario["group"] == group] + faults

    def files(self, kind):
        """Input function: all files of a kind of parts (a key of PARTS)."""
        return lambda wildcards: self.files_of(wildcards.scenario, kind)

    def files_of(self, name, kind, *, datasets=None):
        """The files of a kind of parts of a scenario, or those of its first data sets."""
        scenario, (step, pattern) = self.scenarios[name], PARTS[kind]
        known = {"scenario": name, "fingerprint": self.fingerprint(step, name)}
        number = scenario["datasets"] if datasets is None else datasets
        if kind == "design":
            return [pattern.format(block=block, **known) for block in blocks(number)]
        return [pattern.format(chunk=chunk, **known) for chunk in chunks(number, scenario["chunk"])]

    def part(self, kind, asked_by):
        """Input function of a step of a chunk: its file of another kind of parts, unless the job is out of date."""

        def path(wildcards):
            name = wildcards.scenario
            if wildcards.fingerprint != self.fingerprint(asked_by, name):
                sentence = changed_sentence(f"{asked_by} of {name}")
                raise SystemExit(f"permconf: {sentence}")  # Snakemake adds a traceback to other exceptions
            step, pattern = PARTS[kind]
            scenario, first = self.scenarios[name], chunk_range(wildcards.chunk).start
            whole = chunks(scenario["datasets"], scenario["chunk"])  # the truth may be that of its first data sets only
            chunk = next((one for one in whole if chunk_range(one).start == first), wildcards.chunk)
            known = {"scenario": name, "fingerprint": self.fingerprint(step, name), "chunk": chunk}
            return pattern.format(block=block_of(wildcards.chunk), **known)

        return path

    def data(self, wildcards):
        """What the design and the data sets of a scenario depend on."""
        scenario = self.scenarios[wildcards.scenario]
        return {"stream": scenario["stream"], **scenario["data"]}

    def analysis(self, wildcards):
        """What the nulls and tests of a scenario depend on, besides its data sets."""
        return {key: self.scenarios[wildcards.scenario][key] for key in ANALYSIS}

    def fingerprint(self, step, name):
        """Fingerprint of what a step of a scenario makes; found once for its thousands of chunks."""
        if (step, name) not in self._found:
            self._found[step, name] = fingerprint(**self.recipe(step, name))
        return self._found[step, name]

    def recipe_of(self, step):
        """Parameter function: the recipe of a step of a scenario."""
        return lambda wildcards: self.recipe(step, wildcards.scenario)

    def recipe(self, step, name):
        """What the fingerprint of a step of a scenario is made of."""
        scenario, seed = self.scenarios[name], self.settings["seed"]
        table = content_digest(located(scenario["table"]["table"])) if scenario["table"] else None
        data = {"stream": scenario["stream"], **scenario["data"], "seed": seed, "table": table}
        analysis = {key: scenario[key] for key in ANALYSIS} | {"seed": seed}
        plugins: tuple | None = None
        if step == "design":
            settings = [data | {"table": None}]  # a design does not depend on the content of a table
        elif step == "simulate":
            settings, plugins = [data, self.fingerprint("design", name)], self.generator(scenario)
        elif step in ("permutation_nulls", "true_metrics"):
            columns = [truth_columns(scenario)] if step == "true_metrics" else []
            settings, plugins = [analysis, *columns, self.fingerprint("simulate", name)], self.plugins(scenario)
        else:
            tables = {"datasets": scenario["datasets"]} | {key: self.settings[key] for key in TABLES}
            settings = [tables, self.fingerprint("permutation_nulls", name)]
        without = () if scenario["table"] else ("permconf_study/study/own_table.py",)
        return {"step": step, "settings": settings, "plugins": plugins, "without": without}

    def old_folders(self, name, results="results"):
        """Folders of parts of a scenario that other settings or code made; going back to those finds them again."""
        folders = [(step, path) for kind, (step, _) in PARTS.items() for path in Path(results, name, kind).glob("*/")]
        return [path for step, path in folders if path.name != self.fingerprint(step, name)]

    def generator(self, scenario):
        """The plugin that draws the data sets of a scenario, as pairs of kind and name."""
        return () if scenario["table"] else (("generators", scenario["data"]["generator"]),)

    def plugins(self, scenario):
        """The plugins that draw and assess the data sets of a scenario, as pairs of kind and name."""
        learner, _ = registry.name_and_options("learners", scenario["learner"])
        adjustment, _ = registry.name_and_options("adjustments", scenario["adjustment"])
        metrics = (("metrics", name) for name in scenario["metrics"])
        return (*self.generator(scenario), ("learners", learner), ("adjustments", adjustment), *metrics)

    def planned(self, key, default):
        """Resource function: the planned value for a scenario's jobs (else `default`), multiplied by the attempt."""
        return lambda wildcards, attempt: attempt * self.plan.get(wildcards.scenario, {}).get(key, default)
