"""Judge all methods of the arena on the data sets of one chunk."""

from permconf_study.study.arena import contest
from permconf_study.study.datasets import read_datasets
from permconf_study.study.design import read_design
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table


@step("arena of {w.scenario}, data sets {w.chunk}")
def main(smk):
    design, datasets = read_design(smk.input.design), read_datasets(smk.input.datasets)
    given = smk.params.data, smk.params.analysis, smk.params.methods
    write_table(contest(datasets, design, *given, seed=smk.params.seed), smk.output.results)
