"""Write the tests of redrawn data sets with the distances of their nulls from normality, and those of Section 4."""

from permconf_study.paper.tables.redraws import redraw_table, redrawn_section4
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table


@step("redraws")
def main(smk):
    table = redraw_table(smk.params.scenarios, seed=smk.params.seed)
    write_table(table, smk.output.table)
    if hasattr(smk.output, "section4"):
        write_table(redrawn_section4(table), smk.output.section4)
