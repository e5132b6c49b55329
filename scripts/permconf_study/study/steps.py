"""Settings, files, digests and resources of scenarios, for the rules of the workflow."""

from dataclasses import dataclass, field

from permconf import registry
from permconf_study.study.chunks import block_of, blocks, chunk_range, chunks
from permconf_study.study.code_digest import content_digest, step_code
from permconf_study.study.paths import located

ANALYSIS = (
    *("stream", "split", "confounder", "adjustment", "learner", "metrics"),
    *("nulls", "permutations", "confounder_tests", "predictions", "draws", "table"),
)


@dataclass(frozen=True)
class Steps:
    """The scenarios of a run by name, and the plan of their jobs (resources, never file names).

    Methods that take `wildcards` are input, parameter and resource functions of rules with a wildcard `scenario`.
    """

    scenarios: dict
    plan: dict = field(default_factory=dict)
    _digests: dict = field(default_factory=dict, init=False, repr=False, compare=False)

    def in_group(self, group):
        """Names of the scenarios of a group."""
        return [name for name, scenario in self.scenarios.items() if scenario["group"] == group]

    def files(self, pattern):
        """Input function: one file per chunk (or per block of the design)."""
        return lambda wildcards: self.files_of(wildcards.scenario, pattern)

    def files_of(self, name, pattern, *, datasets=None):
        """The files of a scenario, one per chunk (or per block of the design), or those of its first data sets."""
        scenario = self.scenarios[name]
        if "{block}" in pattern:
            return [pattern.format(scenario=name, block=block) for block in blocks(scenario["datasets"])]
        names = chunks(scenario["datasets"], scenario["chunk"])
        wanted = [chunk for chunk in names if datasets is None or chunk_range(chunk).start < datasets]
        return [pattern.format(scenario=name, chunk=chunk) for chunk in wanted]

    def design_block(self, wildcards):
        """The block of the design that contains a chunk."""
        return f"results/{wildcards.scenario}/design/{block_of(wildcards.chunk)}.csv"

    def data(self, wildcards):
        """What the design and the data sets of a scenario depend on."""
        scenario = self.scenarios[wildcards.scenario]
        return {"stream": scenario["stream"], **scenario["data"]}

    def analysis(self, wildcards):
        """What the nulls and tests of a scenario depend on, besides its data sets."""
        return {key: self.scenarios[wildcards.scenario][key] for key in ANALYSIS}

    def code(self, step, wildcards):
        """Fingerprint of the code of a step of a scenario; of own data also their content."""
        key = step, wildcards.scenario
        if key not in self._digests:  # found once for the thousands of chunks of a scenario
            scenario = self.scenarios[wildcards.scenario]
            own = scenario["table"] and content_digest(located(scenario["table"]["table"]))
            without = () if own else ("permconf_study/study/own_table.py",)
            plugins = self.plugins(scenario, data_only=step == "simulate")
            self._digests[key] = [step_code(step, plugins=plugins, without=without), own]
        return self._digests[key]

    def plugins(self, scenario, *, data_only=False):
        """The plugins that a scenario uses, as pairs of kind and name."""
        data = () if scenario["table"] else (("generators", scenario["data"]["generator"]),)
        if data_only:
            return data
        learner, _ = registry.name_and_options("learners", scenario["learner"])
        adjustment, _ = registry.name_and_options("adjustments", scenario["adjustment"])
        metrics = tuple(("metrics", name) for name in scenario["metrics"])
        return (*data, ("learners", learner), ("adjustments", adjustment), *metrics)

    def planned(self, key, default):
        """Resource function: the planned value for a scenario's jobs (else `default`), multiplied by the attempt."""
        return lambda wildcards, attempt: attempt * self.plan.get(wildcards.scenario, {}).get(key, default)
