"""Write, for each data set, the metric in the absence of association between confounder and response."""

from permconf.paper.tables.unconfounded import unconfounded_metrics
from permconf.study.tables import logged, read_columns, write_table


def main(smk):
    with logged(smk.log[0], f"unconfounded metrics of {smk.wildcards.scenario}"):
        design = {name: values[: smk.params.datasets] for name, values in read_columns(smk.input.design).items()}
        table = unconfounded_metrics(smk.params.data, design, smk.params.analysis, seed=smk.params.seed)
        write_table(table, smk.output.unconfounded)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
