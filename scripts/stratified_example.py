"""Write the 16 samples of Fig. 2 with restricted and standard permutations of their response."""

from permconf.permute.random_streams import Streams
from permconf_study.paper.tables.stratified_example import stratified_example
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table


@step("example of Fig. 2")
def main(smk):
    write_table(stratified_example(Streams(smk.params.seed, "stratified_example")), smk.output.table)
