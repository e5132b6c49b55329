"""Draw the figure of a study: small multiples of its cells, or a figure of the user's own."""

from permconf.errors import SYSTEM_ERRORS, one_line
from permconf.plotting.style import save
from permconf.registry import load
from permconf_study.paper.figures.study import figure
from permconf_study.study.cells import with_labels
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table


@step("figure of study {w.family}")
def main(smk):
    cells, chosen = with_labels(read_table(smk.input.cells), smk.params.labels), smk.params.figure
    try:
        if isinstance(chosen, str):
            drawn = load("figures", chosen)(cells)
        else:
            drawn = figure(cells, **{"title": smk.params.title} | chosen)
        save(drawn, smk.output.pdf, smk.output.png)
    except SYSTEM_ERRORS:
        raise
    except Exception as error:
        raise SystemExit(f"{smk.wildcards.family}: its figure cannot be drawn: {one_line(error)}") from error
