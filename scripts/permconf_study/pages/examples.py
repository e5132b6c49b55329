"""docs/AUDIT.md and docs/TUTORIAL.md: their examples are run, and what they print is written below them.

The tutorial is also written as a notebook with these outputs, docs/TUTORIAL.ipynb.
"""

import contextlib
import io
import json
import re
import shutil
import tempfile
from pathlib import Path

from permconf_study.markdown import filled

FIGURE = "audit.png"
_EXAMPLE = re.compile(
    r"```python\n(?P<code>.*?)```\n(?:\n<!-- table: (?P<name>\w+) -->\n(?P<printed>.*?)<!-- end -->\n)?", re.S
)


def write(_results: Path, page: Path) -> list[str]:
    """Run the examples of the page, write what they print, and their figure to docs/images."""
    text = page.read_text()
    with tempfile.TemporaryDirectory() as folder:
        printed = run_examples(text, Path(folder))
        if (Path(folder) / FIGURE).exists():
            shutil.copy(Path(folder) / FIGURE, page.parent / "images" / FIGURE)
    text = filled(text, printed)
    page.write_text(text)
    if page.stem == "TUTORIAL":
        page.with_suffix(".ipynb").write_text(json.dumps(notebook(text), indent=1) + "\n")
    return list(printed)


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


def notebook(text: str) -> dict:
    """A page as a Jupyter notebook: prose, examples, and what they print."""
    cells, end = [], 0
    for example in _EXAMPLE.finditer(text):
        cells += _prose(text[end : example.start()])
        printed = re.sub(r"```(text)?\n?", "", example["printed"] or "")
        outputs = [{"output_type": "stream", "name": "stdout", "text": printed}] if printed else []
        code: dict = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": outputs}
        cells.append(code | {"source": example["code"].rstrip()})
        end = example.end()
    cells += _prose(text[end:])
    cells = [cell | {"id": f"cell-{k}"} for k, cell in enumerate(cells)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}


def _prose(text):
    return [{"cell_type": "markdown", "metadata": {}, "source": text.strip()}] if text.strip() else []
