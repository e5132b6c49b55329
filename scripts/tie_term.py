"""Write the analytic null of the AUC without and with the term for ties, for forests on the first data sets."""

from itertools import islice

from permconf_study.paper.tables.tie_term import tie_terms
from permconf_study.study.datasets import read_datasets
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table


@step("tie term")
def main(smk):
    datasets = islice(read_datasets(smk.input.datasets), smk.params.datasets)
    write_table(tie_terms(datasets, smk.params.analysis, seed=smk.params.seed), smk.output.table)
