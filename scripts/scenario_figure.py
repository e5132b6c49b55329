"""Draw the standard figure of one scenario."""

from permconf.plotting.style import save
from permconf_study.paper.figures.scenario import figure
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table


def main(smk):
    with step(smk, f"standard figure of {smk.wildcards.scenario}"):
        tables = {name: read_table(getattr(smk.input, name)) for name in ("tests", "curves", "draws")}
        drawn = figure(tables, title=smk.params.title, truth=smk.params.truth, of_table=smk.params.of_table)
        save(drawn, smk.output.pdf, smk.output.png)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
