"""The public names: a table in docs/API.md, and signatures, descriptions and examples on the site, from docstrings."""

import inspect
import re
import textwrap
from itertools import groupby
from pathlib import Path
from typing import Any

import permconf

TOPICS = {
    "Your own data": ("audit", "audit_predictions", "compare_adjustments", "plot_adjustments", "Audit"),
    "Adjustments to deploy": ("AdjustedClassifier", "AdjustedRegressor"),
    "Tests of predictions": (
        "prediction_test",
        "association_test",
        "combined",
        "within_bins_test",
        "PredictionTest",
        "AssociationTest",
    ),
    "Reweighting": ("reweighted_metric", "overlap_metric", "within_metric", "training_weights", "ReweightedMetric"),
    "The paper's method": ("assess", "metric_values", "Assessment"),
    "Permutations": ("restricted_shuffle", "standard_shuffle", "conditional_shuffle"),
    "Tests that shuffle the confounder": ("combined_test", "conditional_test", "algorithm2"),
    "A population of interest": ("population_split", "relative_to_population"),
    "To try and to report": ("example", "show_versions"),
}


def parts(_results: Path, _page: Path) -> dict[str, str | None]:
    """The only part: all names with the first sentence of their docstrings, by topic."""
    rows = [
        f"## {topic}\n\n| name | |\n|---|---|\n"
        + "\n".join(f"| `{name}` | {_first_sentence(name)} |" for name in names)
        for topic, names in TOPICS.items()
    ]
    return {"names": "\n" + "\n\n".join(rows) + "\n"}


def reference() -> str:
    """All names with signature, description and example: the page of the site."""
    return "\n\n".join(f"## {topic}\n\n" + "\n\n".join(map(section, names)) for topic, names in TOPICS.items())


def _first_sentence(name):
    return " ".join((inspect.getdoc(getattr(permconf, name)) or "").split("\n\n")[0].split()).split(". ")[0].rstrip(".")


def section(name: str) -> str:
    """Heading, signature, description and example of a public name."""
    item = getattr(permconf, name)
    signature = "" if inspect.isclass(item) else f"```python\n{call(name, item)}\n```\n\n"
    return f"### {name}\n\n{signature}{as_markdown(inspect.getdoc(item) or '')}"


def call(name: str, function) -> str:
    """A call with all parameters and their defaults, wrapped."""
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in inspect.signature(function).parameters.values()]
    options: Any = {"subsequent_indent": "    ", "break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(f"{name}{inspect.Signature(plain)}", 88, **options)


def as_markdown(docstring: str) -> str:
    """A docstring as Markdown: examples and tables of fields become blocks of code."""
    runs = groupby(re.split(r"\n\s*\n", docstring), key=lambda text: text.startswith(">>> "))
    blocks: list[str] = []
    for is_example, texts in runs:
        blocks += ["```python\n" + "\n\n".join(texts) + "\n```"] if is_example else map(_block, texts)
    return "\n\n".join(blocks)


def _block(text):
    is_table = re.search(r"^\S.*\S {3,}\S", text, re.MULTILINE)
    return f"```text\n{text}\n```" if is_table else text
