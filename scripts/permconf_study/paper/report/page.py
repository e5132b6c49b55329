"""Render the page from its template and the files of a run."""

import re
from functools import cache
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt

from permconf_study.paper.claims.catalogue import counts, found_text, grouped, is_published, read_ledger, verdict_counts
from permconf_study.paper.claims.verdicts import MEANINGS
from permconf_study.paper.figure_list import figure_title
from permconf_study.paper.report.embed import download, image
from permconf_study.paper.report.explorer import studies
from permconf_study.paper.report.facts import run_facts, scenario_rows, stages
from permconf_study.paper.report.headlines import answers, as_read, cells, columns, failures, tally
from permconf_study.study.tables import read_table

SYMBOLS = dict(zip(MEANINGS, "✓→±✗≠?=-", strict=True))
SHOWN_ALPHAS = (0.01, 0.05, 0.1)
FINDING = ("Fig. S3", "Fig. S4", "Fig. S5")


def report_html(*, templates, home, figures, captions, tables, claims, curves, deviations, scenarios, seed):
    """The HTML text.

    `figures` are PNG files; `captions` and `tables` are, by name of a figure, its caption and the tables it was drawn
    from; `claims` is results/claims.json, `curves` the rejection rates of the experiments.
    """
    markdown = MarkdownIt("commonmark").enable("table")
    rows = read_ledger(claims)
    link = cache(download)  # figures share tables
    shown = [_figure(path, captions, tables, markdown, link) for path in map(Path, figures)]
    environment = Environment(loader=FileSystemLoader(templates), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"found": found_text, "capfirst": lambda text: text[:1].upper() + text[1:]}
    environment.tests["published"] = is_published
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    rates = _rates(curves, scenarios)
    return environment.get_template("report.html.j2").render(
        answers=answers(rows),
        summary=verdict_counts(rows),
        groups=_groups([figure for figure in shown if figure["title"] not in FINDING], rows),
        finding=[figure for figure in shown if figure["title"] in FINDING],
        claims=rows,
        counts=counts([row for row in rows if not row["ours"]]),
        ours=sum(row["ours"] for row in rows),
        symbols=SYMBOLS,
        meanings=MEANINGS,
        failed=failures(rows),
        studies=studies(scenarios),
        rates=rates.groupby(["test", "title"], sort=False),
        alphas=rates["alpha"].unique(),
        facts=run_facts(home, seed),
        stages=stages(),
        scenarios=scenario_rows(scenarios),
        deviations=_part(markdown.render(Path(deviations).read_text())),
        data=[link(path) for path in ("results/claims.csv", *curves)],
    )


def _figure(path, captions, tables, markdown, link):
    name, title, text = path.stem, figure_title(path.stem), captions[path.stem].strip()
    text += "" if path.parent.name == "figures" else " This run did not draw it: the image is from docs/FIGURES.md."
    downloads, caption = [link(table) for table in tables.get(name, ())], markdown.renderInline(text)
    plain = " ".join(text.replace("*", "").split())
    said = re.split(r"(?<=[\w)]\.)(?<!Fig\.)(?<!Figs\.) ", plain, maxsplit=1)[0]
    shown = {"name": name, "title": title, "caption": caption, "alt": f"{title}: {said}", "data": downloads}
    return shown | image(path)


def _groups(figures, rows):
    """Each figure with the claims that stand under it, then the sections that have claims and no figure.

    A figure with another learner has the claims as they are with this learner.
    """
    by_group = grouped(rows)
    groups: list[tuple] = []
    drawn: dict[str, list] = {}
    for figure in figures:
        base, _, learner = figure["title"].partition(", ")
        drawn.setdefault(base, []).append(learner)
        found = as_read(by_group.get(base, []), learner) if learner else by_group.get(base, [])
        groups.append((figure["title"], figure["name"], figure, found))
    groups += [(name, _anchor(name), None, found) for name, found in sorted(by_group.items()) if name not in drawn]
    shown = []
    for title, anchor, figure, found in groups:
        names = columns(found, without=drawn.get(title, ()))
        suffix = "-forest" if title.endswith("random forests") else ""
        claims = [row | {"cells": cells(row, names), "anchor": row["id"] + suffix} for row in found]
        group = {"title": title, "anchor": anchor, "figure": figure, "columns": names, "tally": tally(found)}
        shown.append(group | {"claims": claims, "published": any(map(is_published, found))})
    return shown


def _anchor(text):
    """A title as the name of an anchor."""
    return re.sub(r"\W+", "-", text.lower()).strip("-")


def _rates(curves, scenarios):
    """Rates and bands of experiments at SHOWN_ALPHAS, test by test."""
    tables = [read_table(path).assign(title=scenarios[Path(path).parent.name]["title"]) for path in curves]
    rates = pd.concat(tables).round({"alpha": 6})
    tests = list(dict.fromkeys(rates["test"]))
    return rates[rates["alpha"].isin(SHOWN_ALPHAS)].sort_values("test", key=lambda t: t.map(tests.index), kind="stable")


def _part(html):
    """A rendered document as a part of the page: without title, headings one rank lower, links to files as names."""
    html = html.split("</h1>", 1)[-1]
    html = re.sub(r"(</?h)2>", r"\g<1>3>", html)
    return re.sub(r'<a href="(?!https?:|#)[^"]*">(.*?)</a>', r"\1", html)
