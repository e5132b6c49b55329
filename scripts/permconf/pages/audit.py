"""docs/AUDIT.md: its examples are run, and what they print is written below them."""

import contextlib
import io
import re
from pathlib import Path

from permconf.markdown import update

_EXAMPLE = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n<!-- table: (?P<name>\w+) -->)?", re.DOTALL)


def write(_results: Path, page: Path) -> list[str]:
    """Run the examples of the page and update what they print."""
    return update(page, parts(page.read_text()))


def parts(text: str) -> dict[str, str | None]:
    """What each example prints, by the name of the part below it. Examples share their variables."""
    variables: dict = {}
    printed: dict[str, str | None] = {}
    for example in _EXAMPLE.finditer(text):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(example["code"], variables)
        if example["name"]:
            printed[example["name"]] = f"```text\n{said.getvalue().rstrip()}\n```"
    return printed
