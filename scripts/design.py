"""Write one block of a scenario's parameter design."""

from permconf.permute.random_streams import Streams
from permconf_study.study.design import design_block
from permconf_study.study.part_logs import step
from permconf_study.study.tables import write_table


@step("design of {w.scenario}, block {w.block}")
def main(smk):
    block = int(smk.wildcards.block)
    streams = Streams(smk.params.seed, smk.params.data["stream"], block)
    write_table(design_block(smk.params.data, block, streams), smk.output.design)
