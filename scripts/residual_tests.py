"""Write what the tests for confounding find after residualising."""

from permconf_study.paper.tables.residual_tests import residual_tests
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("tests after residualising")
def main(smk):
    tests = dict(zip(smk.params.scenarios, map(read_table, smk.input.tests), strict=True))
    write_table(residual_tests(tests), smk.output.table)
