"""Write a table that shows where Theorems 1 and 2 hold."""

from permconf.permute.random_streams import Streams
from permconf_study.paper.tables.theorems import theorem_decay, theorem_table
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table


@step("theorems")
def main(smk):
    table = theorem_table(rng=Streams(smk.params.seed, "theorems").rng("data"))
    write_table(dict(table.items()), smk.output.table)
    write_table(dict(theorem_decay(table).items()), smk.output.decay)
