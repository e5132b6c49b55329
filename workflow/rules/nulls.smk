"""Permutation nulls and the tests made of them."""

from functools import cache

from permconf.study.scenario import check_engine

ANALYSIS = (
    "stream",
    "split",
    "confounder",
    "adjustment",
    "learner",
    "metrics",
    "nulls",
    "permutations",
    "confounder_tests",
    "draws",
)


def analysis_settings(wildcards):
    """What the nulls and tests of a scenario depend on, besides its data sets."""
    check_engine_once(wildcards.scenario)
    return {key: SCENARIOS[wildcards.scenario][key] for key in ANALYSIS}


@cache
def check_engine_once(name):
    """Stop before anything runs if a scenario names a learner or adjustment that cannot be made."""
    try:
        check_engine(SCENARIOS[name])
    except ConfigError as error:
        raise WorkflowError(f"permconf: {error}") from None


def analysis_digest(wildcards):
    """Fingerprint of the code that assesses a scenario's data sets."""
    scenario = SCENARIOS[wildcards.scenario]
    learner, adjustment = (registry.name_and_options(scenario[kind])[0] for kind in ("learner", "adjustment"))
    return code_digest(
        "study.assessments",
        registry.path_of("learners", "estimator" if "." in learner else learner),
        registry.path_of("adjustments", adjustment),
        *(registry.path_of("metrics", metric) for metric in scenario["metrics"]),
    )


rule permutation_nulls:
    """Observed metrics, permutation nulls and tests for one chunk of data sets."""
    input:
        datasets="results/{scenario}/datasets/{chunk}.npz",
    output:
        tests="results/{scenario}/chunks/{chunk}.tests.parquet",
        draws="results/{scenario}/chunks/{chunk}.draws.parquet",
    log:
        "results/logs/permutation_nulls/{scenario}/{chunk}.log",
    benchmark:
        "results/benchmarks/permutation_nulls/{scenario}/{chunk}.tsv"
    group:
        "chunk"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=planned("memory_mb", 1000),
        runtime=planned("runtime", 30),
    params:
        analysis=analysis_settings,
        seed=SETTINGS["seed"],
        code=analysis_digest,
    script:
        "../../scripts/permutation_nulls.py"
