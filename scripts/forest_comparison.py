"""Write the results of experiments 1 to 4 for random forests, and for logistic regression on the same data sets."""

from permconf_study.paper.tables.deviations import forest_table
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("comparison of forests and logistic regression")
def main(smk):
    tables = [
        {name: read_table(path) for name, path in zip(smk.params.experiments, paths, strict=True)}
        for paths in (smk.input.forests, smk.input.logistic)
    ]
    write_table(forest_table(*tables), smk.output.table)
