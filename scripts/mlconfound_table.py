"""Combine the results of mlconfound's test over the cells of the stress grid."""

import pandas as pd

from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("table of mlconfound")
def main(smk):
    cells = zip(smk.params.cells, smk.input.cells, strict=True)
    tables = [read_table(path).assign(cell=cell) for cell, path in cells]
    write_table(pd.concat(tables, ignore_index=True), smk.output.table)
