"""The look of every figure, and how it is saved: colours by role, panel letters, byte-stable files."""

from functools import wraps
from pathlib import Path
from string import ascii_lowercase

import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.mathtext import MathTextParser

STYLE_FILE = Path(__file__).with_name("permconf.mplstyle")

# Shades of the paper's colours that remain distinct in red-green colour blindness (tested).
RESTRICTED = "#1B4F9C"
STANDARD = "#D1343F"
OBSERVED = "#35C4E8"
CORRECTED = "#EE9A1C"
QUANTILE_CORRECTED = "#B565D8"
POPULATION = "#22A06B"
EXPERIMENTS = (RESTRICTED, STANDARD, POPULATION, "#000000")
SERIES = (*EXPERIMENTS, CORRECTED, QUANTILE_CORRECTED, OBSERVED)  # colours of up to seven things of one kind
DASHES = ("-", (0, (7, 2)), (0, (8, 2, 2, 2)), (0, (2, 2)))  # of experiments, so that they differ by more than colour

LIGHT = "#DDE3EA"
DARK = "#2B3A4A"
INK = "#1A1A1A"

PAGE = 7.0

# Dates and software versions would make identical figures differ.
_METADATA = {
    ".pdf": {"Creator": None, "Producer": None, "CreationDate": None, "ModDate": None},
    ".png": {"Software": None},
}


def context():
    """The project's style on top of matplotlib's defaults, for the duration of a `with` block."""
    return matplotlib.style.context(STYLE_FILE, after_reset=True)


def styled(draw):
    """Run a figure function in the project's style."""

    @wraps(draw)
    def drawn(*args, **kwargs):
        with context():
            return draw(*args, **kwargs)

    return drawn


def letters(axes, names=ascii_lowercase, *, lift=4):
    """Letters of panels, bold, `lift` points above the top left corner of each."""
    for ax, name in zip(axes, names, strict=False):
        ax.set_title(name, loc="left", y=1.0, pad=lift, fontweight="bold", fontsize=10)


def lettered(height, rows, columns, *, width=PAGE, **options):
    """A figure with a grid of lettered panels, and its axes (always two-dimensional)."""
    drawing = Figure(figsize=(width, height))
    axes = drawing.subplots(rows, columns, squeeze=False, **options)
    letters(axes.flat)
    return drawing, axes


def tolerant(text):
    """Show a text that somebody wrote as it is, if it is no valid mathematics."""
    try:
        for line in text.get_text().splitlines():
            MathTextParser("path").parse(line)
    except ValueError:
        text.set_parse_math(False)


def save(figure, *paths):
    """Write `figure` as PDF or PNG by the suffix of each path; the same figure gives the same bytes."""
    for path in map(Path, paths):
        if path.suffix not in _METADATA:
            raise ValueError(f"figures are saved as .pdf or .png, not as {path.name!r}")
        with context():
            figure.savefig(path, metadata=_METADATA[path.suffix])
