"""Pages of docs/ that are written from results."""

PAGES = {"validity": "validity", "deviations": "deviations", "reproduction": "reproduction"}
