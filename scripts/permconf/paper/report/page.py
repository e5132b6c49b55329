"""Render the page from its template and the files of a run."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt

from permconf.paper.claims.catalogue import counts, found_text, read_ledger
from permconf.paper.claims.verdicts import NOT_REPRODUCED
from permconf.paper.report.embed import download, image, rates
from permconf.paper.report.facts import run_facts, scenario_rows, stages

SYMBOLS = {"reproduced": "✓", "not reproduced": "✗", "unresolved": "?", "not testable": "-"}
SHOWN_ALPHAS = (0.01, 0.05, 0.1)


def page(*, templates, home, figures, captions, tables, claims, curves, deviations, scenarios, seed):
    """The HTML text.

    `figures` are PNG files; `captions` and `tables` are, by name of a figure, its caption and the tables it was drawn
    from; `claims` is results/claims.json, `curves` the rejection rates of the experiments.
    """
    markdown = MarkdownIt("commonmark").enable("table")
    rows = read_ledger(claims)
    link = cache(download)  # figures share tables
    shown = [_figure(path, captions, tables, markdown, link) for path in map(Path, figures)]
    environment = Environment(loader=FileSystemLoader(templates), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["found"] = found_text
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    rejection = rates(curves, {name: settings["title"] for name, settings in scenarios.items()})
    alphas = [alpha for alpha in SHOWN_ALPHAS if alpha in rejection["alpha"]]
    return environment.get_template("report.html.j2").render(
        figures=shown,
        claims=rows,
        counts=counts(rows),
        symbols=SYMBOLS,
        failed=[row for row in rows if row["verdict"] == NOT_REPRODUCED],
        rates=rejection,
        rate_rows=list(_rate_rows(rejection, alphas)),
        alphas=alphas,
        facts=run_facts(home, seed),
        stages=stages(),
        scenarios=scenario_rows(scenarios),
        deviations=_without_title(markdown.render(Path(deviations).read_text())),
        data=[link(path) for path in ("results/claims.csv", *curves)],
    )


def _figure(path, captions, tables, markdown, link):
    name, label = path.stem, path.stem.split("_")[0]
    title = label.replace("fig0", "Fig. ").replace("fig", "Fig. ").replace("table", "Table ")
    downloads, caption = [link(table) for table in tables.get(name, ())], markdown.renderInline(captions[name])
    return {"name": name, "title": title, "caption": caption, "data": downloads} | image(path)


def _rate_rows(rejection, alphas):
    """Rates and bands at a few nominal levels, for print and for browsers without scripts."""
    for test, curves in rejection["tests"].items():
        for curve in curves:
            at = map(rejection["alpha"].index, alphas)
            cells = [(curve["rate"][k], curve["low"][k], curve["high"][k]) for k in at]
            yield {"test": test, "title": curve["title"], "cells": cells}


def _without_title(html):
    """A rendered document without its title, since the page has its own."""
    return html.split("</h1>", 1)[-1]
