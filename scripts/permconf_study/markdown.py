"""Markdown tables, and the marked parts of a page that are updated from results.

A part lies between `<!-- table: NAME -->` and `<!-- end -->`, each on its own line.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd  # the command line reads this module before it knows what it is for

_PART = re.compile(r"<!-- table: (?P<name>\w+) -->\n.*?<!-- end -->", re.DOTALL)


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; entries are converted by `str`, with bars escaped."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(entry).replace("|", "\\|") for entry in line) + " |" for line in lines)


def excerpt(full: str, choose: "Callable[[pd.DataFrame], pd.DataFrame]") -> str:
    """Chosen rows and columns of a table, whose entries are texts."""
    import pandas as pd

    headings, _, *rows = (line[2:-2].split(" | ") for line in full.splitlines())
    chosen = choose(pd.DataFrame(rows, columns=headings))
    lines = [list(chosen.columns), ["---"] * chosen.shape[1], *chosen.to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def estimate(value: float, error: float, form: str = ".3f") -> str:
    """A number with its error in parentheses."""
    return f"{value:{form}} ({error:{form.lstrip('+')}})"


def filled(text: str, parts: Mapping[str, str | None]) -> str:
    """A page with its marked parts updated; a part that is None is kept, an unknown one is an error."""

    def updated(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in parts:
            raise ValueError(f"unknown part {name!r} in the page; known parts: {', '.join(parts)}")
        content = parts[name]
        return match[0] if content is None else f"<!-- table: {name} -->\n{content}\n<!-- end -->"

    return _PART.sub(updated, text)


def update(page: Path, parts: Mapping[str, str | None]) -> list[str]:
    """Update the marked parts of a file, and return the names of those that were written."""
    text = page.read_text()
    page.write_text(filled(text, parts))
    return [match["name"] for match in _PART.finditer(text) if parts[match["name"]] is not None]
