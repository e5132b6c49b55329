"""Write the truths of all chunks of a scenario as one table."""

import pandas as pd

from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("truths of {w.scenario}")
def main(smk):
    write_table(pd.concat(map(read_table, smk.input.truths), ignore_index=True), smk.output.unconfounded)
