"""docs/AUDIT.md: its examples are run, and what they print is written below them."""

import contextlib
import io
import re
import shutil
import tempfile
from pathlib import Path

FIGURE = "audit.png"
_EXAMPLE = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n<!-- table: (?P<name>\w+) -->)?", re.DOTALL)


def parts(_results: Path, page: Path) -> dict[str, str | None]:
    """Run the examples of the page: what they print, and their figure in docs/images."""
    with tempfile.TemporaryDirectory() as folder:
        printed = run_examples(page.read_text(), Path(folder))
        shutil.copy(Path(folder) / FIGURE, page.parent / "images" / FIGURE)
    return printed


def run_examples(text: str, folder: Path) -> dict[str, str | None]:
    """What each example prints, by the name of the part below it. Examples share variables, and run in `folder`."""
    variables: dict = {}
    printed: dict[str, str | None] = {}
    for example in _EXAMPLE.finditer(text):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.chdir(folder):
            exec(example["code"], variables)
        if example["name"]:
            printed[example["name"]] = f"```text\n{said.getvalue().rstrip()}\n```"
    return printed
