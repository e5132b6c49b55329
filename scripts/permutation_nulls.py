"""Permutation nulls and tests of one chunk of data sets."""

from permconf_study.study.assessments import assess_datasets
from permconf_study.study.chunk_files import chunk_table
from permconf_study.study.data_source import with_values
from permconf_study.study.datasets import read_datasets
from permconf_study.study.part_logs import counted, step
from permconf_study.study.tables import write_table


@step("permutation nulls of {w.scenario}, data sets {w.chunk}")
def main(smk):
    analysis = smk.params.analysis
    datasets = with_values(counted(read_datasets(smk.input.datasets), smk.wildcards.chunk), analysis)
    tests, draws = assess_datasets(datasets, analysis, stream=analysis["stream"], seed=smk.params.seed)
    write_table(chunk_table(tests, draws), smk.output.chunk)
