"""An audit as one HTML page without scripts or network, and as a short table for notebooks."""

import io
import json
import re
from base64 import b64encode
from functools import cache
from pathlib import Path

import matplotlib as mpl
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from permconf.auditing.conclusion import CHANGES, SAME, TOO_FEW, UNKNOWN, conclusion
from permconf.auditing.methods_text import VERSION, methods, references, results
from permconf.auditing.phrases import between, decimals, error, listed, metric_name, p_value, value
from permconf.auditing.plots import confounder_figure, described, level_figure, metric_figure
from permconf.auditing.summary import direction, notes, setting, test_rows, value_rows
from permconf.plotting import style

VERDICTS = {  # title, and class of the style sheet
    CHANGES: ("Confounding changes the {metric}", "changes"),
    SAME: ("No practical difference", "same"),
    TOO_FEW: ("Too few rows to tell", "few"),
    UNKNOWN: ("Cannot be assessed", "unknown"),
}


def page(audit) -> str:
    """The HTML text of the page."""
    data, levels = audit.to_dict(), level_rows(audit)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            **_content(audit),
            levels=levels,
            figures=[_image(one(audit)) for one in (metric_figure, confounder_figure)],
            level_figure=_image(level_figure(audit)) if levels else None,
            alternative=described(audit),
            methods=methods(audit),
            results=results(audit),
            references=references(audit),
            version=VERSION,
            downloads={
                "audit.json": _address(json.dumps(data, indent=2, ensure_ascii=False).encode(), "application/json"),
                "audit.csv": _address(audit.to_frame().to_csv(index=False).encode(), "text/csv"),
                "predictions.csv": _address(audit.predictions.to_csv(index=False).encode(), "text/csv"),
            },
            data=data,
        )
    )


def notebook(audit) -> str:
    """The answer and its numbers as an HTML fragment."""
    return _environment().get_template("notebook.html.j2").render(**_content(audit))


def _content(audit):
    found = conclusion(audit)
    title, kind = VERDICTS[found.verdict]
    return {
        "audit": audit,
        "names": listed(audit.confounders, most=6),
        "conclusion": found,
        "verdict": title.format(metric=metric_name(audit.metric)),
        "kind": kind,
        "values": [row for answer in audit.metrics for row in value_rows(answer)],
        "tests": test_rows(audit),
        "confounders": list(audit.by_confounder.sort_values("read_p", kind="stable").itertuples()),
        "direction": direction,
        "notes": notes(audit),
        "setting": setting(audit),
    }


def level_rows(audit):
    """Rows of the table of the metric by level: confounder, level, rows, value and interval."""
    if audit.by_level is None:
        return []
    found = []
    for row in audit.by_level.itertuples():
        places = decimals(row.low, row.high)
        found.append(
            (row.confounder, row.level, row.rows, value(row.value, places), between((row.low, row.high), places))
        )
    return found


@cache
def _environment():
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"p": p_value, "error": error, "unbroken": _unbroken}
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    return environment


def _unbroken(text):
    """A sentence without line breaks inside "p = .01" and "95 %"."""
    return re.sub(r"\bp [=<>] (?=\.|\d)|\b95 (?=%)", lambda found: found[0].replace(" ", "\u00a0"), text)


def _image(figure):
    """A figure as the address of an SVG image."""
    content = io.BytesIO()
    with style.context(), mpl.rc_context({"svg.hashsalt": "permconf"}):
        figure.savefig(content, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _address(content.getvalue(), "image/svg+xml")


def _address(content, kind):
    return f"data:{kind};base64,{b64encode(content).decode()}"
