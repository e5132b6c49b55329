"""Write the cost of the tests for confounding: processor time per data set, by test size."""

from permconf_study.paper.tables.test_costs import cost_table
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table


@step("costs of the tests")
def main(smk):
    write_table(cost_table(), smk.output.table)
