"""Write the results of the arena: a row for every data set, learner and method, and their means."""

import pandas as pd

from permconf_study.paper.tables.arena import arena_results, arena_summary
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("summary of the arena")
def main(smk):
    chunks = {name: pd.concat(map(read_table, paths)) for name, paths in smk.params.chunks.items()}
    results = arena_results(chunks)
    write_table(results, smk.output.results)
    write_table(arena_summary(results), smk.output.summary)
