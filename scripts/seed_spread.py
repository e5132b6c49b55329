"""Write how far the p-values of the tests move with the seed."""

from permconf_study.paper.tables.seed_spread import spread_table
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table


@step("spread of p-values over seeds")
def main(smk):
    write_table(spread_table(), smk.output.table)
