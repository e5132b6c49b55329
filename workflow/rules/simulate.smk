"""Data sets."""

from permconf import registry
from permconf.study.chunks import block_of


def generator_digest(wildcards):
    """Fingerprint of the code that simulates a scenario."""
    generator = registry.path_of("generators", SCENARIOS[wildcards.scenario]["data"]["generator"])
    return code_digest("study.datasets", generator)


rule simulate:
    """The data sets of one chunk, drawn with the parameters of the design."""
    input:
        design=lambda wildcards: f"results/{wildcards.scenario}/design/{block_of(wildcards.chunk)}.csv",
    output:
        datasets="results/{scenario}/datasets/{chunk}.npz",
    log:
        "results/logs/simulate/{scenario}/{chunk}.log",
    benchmark:
        "results/benchmarks/simulate/{scenario}/{chunk}.tsv"
    group:
        "chunk"
    conda:
        "../../envs/permconf.yaml"
    threads: 1
    resources:
        mem_mb=planned("memory_mb", 1000),
        runtime=10,
    params:
        data=data_settings,
        seed=SETTINGS["seed"],
        code=generator_digest,
    script:
        "../../scripts/simulate.py"
