"""Write, for each data set, the truth of its metrics: what they are without confounding."""

from itertools import islice

from permconf_study.study.datasets import read_datasets
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_columns, write_table
from permconf_study.study.truth import true_metrics


@step("truth of the metrics of {w.scenario}")
def main(smk):
    datasets = islice(read_datasets(*smk.input.datasets), smk.params.datasets)
    design = read_columns(smk.input.design)
    table = true_metrics(smk.params.data, design, datasets, smk.params.analysis, seed=smk.params.seed)
    write_table(table, smk.output.unconfounded)
