"""Write the report of a run as one self-contained HTML page."""

from pathlib import Path

from permconf_study.paper.report.page import report_html
from permconf_study.study.part_logs import step
from permconf_study.study.tables import written_whole


@step("report")
def main(smk):
    templates = Path(smk.input.templates[0]).parent
    files = {name: getattr(smk.input, name) for name in ("claims", "curves", "deviations")}
    facts = {name: getattr(smk.params, name) for name in ("captions", "tables", "scenarios", "seed")}
    figures = [*smk.input.figures, *smk.params.more]
    text = report_html(templates=templates, home=templates.parent, figures=figures, **files, **facts)
    with written_whole(smk.output.page) as temporary:
        temporary.write_text(text)
