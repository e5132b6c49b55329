"""Simulate one chunk of data sets, and compute their permutation nulls and tests."""

from permconf.study.assessments import assess_datasets
from permconf.study.chunk_tables import chunk_table
from permconf.study.chunks import chunk_range
from permconf.study.datasets import scenario_datasets
from permconf.study.paths import use_plugins
from permconf.study.tables import logged, write_table


def main(smk):
    with logged(smk.log[0], f"permutation nulls of {smk.wildcards.scenario}, data sets {smk.wildcards.chunk}"):
        use_plugins(smk.config)
        data, analysis, seed = smk.params.data, smk.params.analysis, smk.params.seed
        design, datasets = scenario_datasets(data, chunk_range(smk.wildcards.chunk), seed=seed)
        tests, draws = assess_datasets(datasets, analysis, stream=data["stream"], seed=seed)
        write_table(chunk_table(design, tests, draws), smk.output.chunk)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
