"""Write, for each data set, the metric in the absence of association between confounder and response."""

from permconf.paper.tables.unconfounded import unconfounded_metrics
from permconf.study.datasets import scenario_datasets
from permconf.study.tables import logged, read_columns, write_table


def main(smk):
    with logged(smk.log[0], f"unconfounded metrics of {smk.wildcards.scenario}"):
        data, design = smk.params.data, read_columns(smk.input.design)
        _, datasets = scenario_datasets(data, design["dataset"][: smk.params.datasets].tolist(), seed=smk.params.seed)
        table = unconfounded_metrics(data, design, datasets, smk.params.analysis, seed=smk.params.seed)
        write_table(table, smk.output.unconfounded)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
