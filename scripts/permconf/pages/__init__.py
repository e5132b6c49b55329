"""Pages of docs/ whose marked parts are written from results: docs/NAME.md, in capitals, by the module of that name."""

PAGES = {name: f"permconf.pages.{name}" for name in ("deviations", "reproduction", "validity")}
