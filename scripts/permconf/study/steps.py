"""Settings, files, digests and resources of scenarios, for the rules of the workflow."""

from dataclasses import dataclass, field

from permconf import registry
from permconf.study.chunks import chunks
from permconf.study.code_digest import code_digest

ANALYSIS = (
    *("stream", "split", "confounder", "adjustment", "learner", "metrics"),
    *("nulls", "permutations", "confounder_tests", "predictions", "draws"),
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

    def chunk_files(self, wildcards):
        """The files of a scenario's chunks."""
        name, scenario = wildcards.scenario, self.scenarios[wildcards.scenario]
        names = chunks(scenario["datasets"], scenario["chunk"])
        return [f"results/{name}/chunks/{chunk}.parquet" for chunk in names]

    def data(self, wildcards):
        """What the design and the data sets of a scenario depend on."""
        return self.data_of(wildcards.scenario)

    def data_of(self, name):
        """The data of a scenario with the name of its random stream."""
        scenario = self.scenarios[name]
        return {"stream": scenario["stream"], **scenario["data"]}

    def analysis(self, wildcards):
        """What the nulls and tests of a scenario depend on, besides its data sets."""
        return {key: self.scenarios[wildcards.scenario][key] for key in ANALYSIS}

    def data_digest(self, wildcards):
        """Fingerprint of the code that simulates a scenario."""
        generator = registry.path_of("generators", self.scenarios[wildcards.scenario]["data"]["generator"])
        return code_digest("study.datasets", generator)

    def analysis_digest(self, wildcards):
        """Fingerprint of the code that assesses a scenario's data sets."""
        scenario = self.scenarios[wildcards.scenario]
        learner, adjustment = (registry.name_and_options(scenario[kind])[0] for kind in ("learner", "adjustment"))
        return code_digest(
            "study.assessments",
            registry.path_of("learners", "estimator" if "." in learner else learner),
            registry.path_of("adjustments", adjustment),
            *(registry.path_of("metrics", m) or registry.path_of("metrics", "scorer") for m in scenario["metrics"]),
        )

    def chunk_digest(self, wildcards):
        """Fingerprints of the code that makes the chunks of a scenario; found once for its thousands of chunks."""
        name = wildcards.scenario
        if name not in self._digests:
            chunk = code_digest("study.chunk_tables")
            self._digests[name] = self.data_digest(wildcards), self.analysis_digest(wildcards), chunk
        return self._digests[name]

    def planned(self, key, default):
        """Resource function: the planned value for a scenario's jobs (else `default`), multiplied by the attempt."""
        return lambda wildcards, attempt: attempt * self.plan.get(wildcards.scenario, {}).get(key, default)
