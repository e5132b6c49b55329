"""Write tables of the stress study: power by theta, and tests on the same data sets."""

from permconf_study.paper.tables import stress
from permconf_study.study.cells import Part
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("tables of the stress study")
def main(smk):
    grid = zip(smk.params.grid, smk.input.tests, smk.input.designs, strict=True)
    parts = {name: Part(name, *map(read_table, tables), varied=("theta",)) for name, *tables in grid}
    tests = stress.grid_tests(parts)
    twelve = zip(stress.TWELVE_INNER_DRAWS, map(read_table, smk.input.twelve), strict=True)
    write_table(stress.power_table(tests), smk.output.power)
    write_table(stress.paired_table(tests, dict(twelve)), smk.output.paired)
