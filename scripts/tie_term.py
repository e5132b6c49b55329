"""Write the analytic null of the AUC without and with the term for ties, for forests on the first data sets."""

from permconf.paper.tables.tie_term import tie_terms
from permconf.study.datasets import scenario_datasets
from permconf.study.tables import logged, write_table


def main(smk):
    with logged(smk.log[0], "tie term"):
        _, datasets = scenario_datasets(smk.params.data, range(smk.params.datasets), seed=smk.params.seed)
        write_table(tie_terms(datasets, smk.params.analysis, seed=smk.params.seed), smk.output.table)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
