"""The site: all pages of docs/, by Sphinx and MyST (`make docs`); open docs/_build/index.html, no server is needed."""

import re
from pathlib import Path

import yaml
from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

import permconf
from permconf_study.pages import api

HERE = Path(__file__).parent
SECTIONS = {  # every page of docs/ is in one of them: Sphinx warns of others, and warnings are errors
    "Tutorial": ["TUTORIAL"],
    "How to": ["ARTEFACT", "AUDIT", "SCENARIOS", "CLUSTER"],
    "Explanation: what we found": [
        "REPRODUCTION",
        "DEVIATIONS",
        "VALIDITY",
        "ADJUSTMENTS",
        "The KDD 2019 study <SISTER_STUDY>",
        *sorted({page.stem for page in HERE.glob("*_STUDY.md")} - {"SISTER_STUDY"}),  # your own
    ],
    "Reference": ["API", "CONFIGURATION", "FIGURES", "GLOSSARY", "ARCHITECTURE", "BENCHMARKS", "RELEASING"],
}

citation = yaml.safe_load((HERE.parent / "CITATION.cff").read_text())
project, author, release = "permconf", citation["authors"][0]["name"], permconf.__version__
copyright = f"{citation['date-released'][:4]}, {author}"
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
root_doc, html_theme, html_title = "README", "furo", f"permconf {release}"
exclude_patterns = ["_build"]
html_static_path, html_css_files = ["_static"], ["site.css"]
html_show_sourcelink = False
smartquotes = False  # quotation marks in code must stay those of Python
lexers["mermaid"] = TextLexer()  # drawn on the repository's pages; text here, so that nothing is loaded from a network


def complete(_app, page, text):
    """Contents on the first page, whole docstrings on that of the API, and no links out of docs/."""
    if page == root_doc:
        trees = [
            f"```{{toctree}}\n:hidden:\n:caption: {name}\n\n" + "\n".join(pages) for name, pages in SECTIONS.items()
        ]
        text[0] += "\n" + "\n".join(f"{tree}\n```" for tree in trees)
    if page == "API":
        text[0] = (
            "# API\n\nWhat `import permconf` offers: every public name with its arguments and an example.\n\n"
            + api.reference()
        )
    text[0] = re.sub(r"\[([^]]*)\]\(\.\./[^)]*\)", r"\1", text[0])  # files of the repository are not part of the site
    text[0] = re.sub(r"\[\w+\.md\](\(\w+\.md(?:#[\w-]+)?\))", r"[]\1", text[0])  # a page by its title, a section by its


def redirect(app, _error):
    """docs/_build/index.html leads to the first page, whose name is that of the repository's own page of docs/."""
    Path(app.outdir, "index.html").write_text(f'<meta http-equiv="refresh" content="0; url={root_doc}.html">\n')


def setup(app):
    app.connect("source-read", complete)
    app.connect("build-finished", redirect)
