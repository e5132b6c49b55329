"""Write the report of a run as one self-contained HTML page."""

from pathlib import Path

from permconf.paper.report.page import page
from permconf.study.tables import logged, written_whole


def main(smk):
    with logged(smk.log[0], "report"):
        templates = Path(smk.input.templates[0]).parent
        text = page(
            templates=templates,
            home=templates.parent,
            figures=smk.input.figures,
            captions=smk.params.captions,
            tables=smk.params.tables,
            ledger=smk.input.claims,
            curves=smk.input.curves,
            deviations=smk.input.deviations,
            scenarios=smk.params.scenarios,
            seed=smk.params.seed,
        )
        with written_whole(smk.output.page) as temporary:
            temporary.write_text(text)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
