"""Write, for each data set of a chunk, the truth of its metrics: what they are without confounding."""

from permconf_study.study.chunks import chunk_range
from permconf_study.study.datasets import read_datasets
from permconf_study.study.design import read_design
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table
from permconf_study.study.truth import true_metrics


@step("truth of the metrics of {w.scenario}, data sets {w.chunk}")
def main(smk):
    wanted, given = chunk_range(smk.wildcards.chunk), smk.params
    datasets = (dataset for dataset in read_datasets(smk.input.datasets) if dataset.number in wanted)
    design = read_design(smk.input.design)
    options = {"seed": given.seed, "columns": given.columns}
    write_table(true_metrics(given.data, design, datasets, given.analysis, **options), smk.output.truths)
