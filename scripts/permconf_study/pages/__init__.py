"""Pages of docs/ whose marked parts are written by a command: docs/NAME.md, in capitals.

The module of that name, or `examples` for pages whose examples are run, has a function `parts(results, page)`, which
gives the text of each part by name, or None without results, and may have a list ALSO of other files with such parts;
or it has `write(results, page)`, which gives the names of what it wrote.
"""

import importlib
from pathlib import Path

from permconf.errors import ConfigError
from permconf_study.markdown import update

_NAMES = (
    *("adjustments", "api", "architecture", "cluster", "deviations", "figures", "reproduction", "scenarios"),
    "validity",
)
PAGES = {name: f"permconf_study.pages.{name}" for name in _NAMES}
PAGES |= dict.fromkeys(("audit", "tutorial"), "permconf_study.pages.examples")


def main(options):
    """Write the page."""
    if options.name == "study":
        if not options.study:
            raise ConfigError("which study? permconf page study NAME")
        return importlib.import_module("permconf_study.pages.study").main(options)
    page = Path("docs") / f"{options.name.upper()}.md"
    if not page.exists():
        raise ConfigError(f"{page} does not exist; run it in the folder of the repository")
    written = update_page(importlib.import_module(PAGES[options.name]), Path(options.directory, "results"), page)
    print(f"{page}: wrote {', '.join(written)}." if written else f"{page}: no results to update it from.")
    return 0 if written else 1


def update_page(module, results, page):
    """Update a page and the other files of its module, and return the names of the parts that were written."""
    if hasattr(module, "write"):
        return module.write(results, page)
    made, home = module.parts(results, page), page.resolve().parent.parent
    files = [page, *(home / name for name in getattr(module, "ALSO", ()))]
    return list(dict.fromkeys(name for file in files for name in update(file, made)))
