"""docs/FIGURES.md: every figure of the last run with its caption, as compact images in docs/images.

The tables of the run that `make` does not compute, such as those of forests, are kept in workflow/published.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from permconf_study.paper.claims.catalogue import load_claims, optional_tables
from permconf_study.paper.claims.command import CLAIMS
from permconf_study.paper.figure_list import TABLE1, FigureList, figure_title
from permconf_study.paper.report.embed import COLOURS
from permconf_study.study.configuration import read_settings, scenarios_of

COMMANDS = {
    "forests": "make forests",
    "stress": "make stress",
    "arena": "make arena",
    "extension": "permconf run scenarios",
}


def parts(results: Path, page: Path) -> dict[str, str | None]:
    """The gallery; the images of the figures that exist next to `results`, and the published tables, are renewed."""
    publish(results, page.parent.parent / "workflow/published")
    settings = read_settings()
    figures = FigureList.of(scenarios_of(settings, engines=False))
    names = {name: entry["group"] for name, entry in figures.entries.items()} | {TABLE1: "paper"}
    images = page.parent / "images"
    renew_images(names, results, images)
    captions = {name: figures.caption(name, drawn=True) for name in names}
    return {"gallery": gallery(names, captions, images)}


def publish(results: Path, published: Path) -> None:
    """Keep the tables of this run that `make` does not compute: later ledgers and the captions use them.

    Of a study's table of cells, which is large, only the scenarios that claims name are kept.
    """
    claims = load_claims(CLAIMS)
    for path in optional_tables(claims):
        table = Path(path).relative_to("results")
        if (results / table).exists():
            (published / table).parent.mkdir(parents=True, exist_ok=True)
            if table.name != "cells.csv":
                shutil.copyfile(results / table, published / table)
                continue
            cells = pd.read_csv(results / table, dtype=str, keep_default_na=False)
            chosen = " ".join(claim["where"] for claim in claims if path in claim.get("tables", ()))
            named = [f"'{scenario}'" in chosen for scenario in cells["scenario"]]
            cells[named].to_csv(published / table, index=False)


def renew_images(names: Iterable[str], results: Path, images: Path) -> None:
    """Smaller copies, with few colours, of the figures that a run drew; files that are the same stay the same."""
    from PIL import Image

    images.mkdir(exist_ok=True)
    for drawn in (results.parent / "figures" / f"{name}.png" for name in names):
        if drawn.exists():
            with Image.open(drawn) as full:
                picture = full.convert("RGB")
            size = (picture.width // 2, picture.height // 2)
            small = picture.resize(size, Image.Resampling.LANCZOS).quantize(COLOURS)
            small.save(images / drawn.name, optimize=True)


def gallery(names: dict[str, str], captions: dict[str, str], images: Path) -> str:
    """The figures that have an image, under headings, in the order of the list."""
    parts = []
    for name, group in names.items():
        if (images / f"{name}.png").exists():
            title, command = figure_title(name), f" Drawn by `{COMMANDS[group]}`." if group in COMMANDS else ""
            parts.append(f"## {title}\n\n![{title}](images/{name}.png)\n\n{captions[name].strip()}{command}")
    return "\n\n".join(parts)
