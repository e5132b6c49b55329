"""Pages of docs/ whose marked parts are written by a command: docs/NAME.md, in capitals, by module `name`."""

import importlib
from pathlib import Path

from permconf.errors import ConfigError

_NAMES = ("adjustments", "api", "architecture", "audit", "deviations", "figures", "reproduction", "validity")
PAGES = {name: f"permconf_study.pages.{name}" for name in _NAMES}


def main(options):
    """Write the page."""
    page = Path("docs") / f"{options.name.upper()}.md"
    if not page.exists():
        raise ConfigError(f"{page} does not exist; run it in the folder of the repository")
    written = importlib.import_module(PAGES[options.name]).write(Path("results"), page)
    print(f"{page}: wrote {', '.join(written)}." if written else f"{page}: no results to update it from.")
    return 0 if written else 1
