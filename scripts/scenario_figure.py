"""Draw the standard figure of one scenario."""

from permconf.plotting.style import save
from permconf_study.paper.figures.scenario import figure
from permconf_study.study.cells import common_alternatives
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table


@step("standard figure of {w.scenario}")
def main(smk):
    tables = {name: read_table(getattr(smk.input, name)) for name in ("tests", "curves", "draws")}
    truth = common_alternatives(read_table(smk.input.design), smk.params.cell, smk.params.truth)
    drawn = figure(tables, title=smk.params.title, truth=truth, of_table=smk.params.of_table)
    save(drawn, smk.output.pdf, smk.output.png)
