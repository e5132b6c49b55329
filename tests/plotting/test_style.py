"""Colours, letters and byte-stable files."""

import itertools
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from permconf.plotting import style

ROLES = ("RESTRICTED", "STANDARD", "OBSERVED", "CORRECTED", "QUANTILE_CORRECTED", "POPULATION")

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
}


def some_figure():
    with style.context():
        figure = Figure(figsize=(2, 2))
        ax = figure.subplots()
        ax.plot([0, 1], [1, 0], label=r"$\beta_{xy}$")
        ax.legend()
        style.letter(ax, "a")
    return figure


def lab(colour, vision):
    """CIE Lab of a colour as seen with `vision`."""
    rgb = np.array(to_rgb(colour))
    linear = np.clip(vision @ np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4), 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ linear / to_xyz.sum(axis=1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISION)
def test_roles_can_be_told_apart(vision):
    seen = {role: lab(getattr(style, role), np.array(VISION[vision])) for role in ROLES}
    for one, other in itertools.combinations(ROLES, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 15, (one, other)


@pytest.mark.parametrize("suffix", [".pdf", ".png"])
def test_two_saves_are_equal(tmp_path, suffix):
    paths = [tmp_path / f"{name}{suffix}" for name in ("one", "two")]
    for path in paths:
        style.save(some_figure(), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize("suffix", [".pdf", ".png"])
def test_files_carry_no_date_and_no_version(tmp_path, suffix):
    path = tmp_path / f"figure{suffix}"
    style.save(some_figure(), path)
    assert not re.search(rb"CreationDate|ModDate|Producer|Creator|Software|Matplotlib", path.read_bytes())


def test_pdf_embeds_truetype_fonts_and_png_has_300_dpi(tmp_path):
    style.save(some_figure(), tmp_path / "figure.pdf")
    style.save(some_figure(), tmp_path / "figure.png")
    assert b"/CIDFontType2" in (tmp_path / "figure.pdf").read_bytes()
    width = int.from_bytes((tmp_path / "figure.png").read_bytes()[16:20], "big")
    assert width == 600


def test_an_unknown_suffix_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"saved as .pdf or .png, not as 'figure.jpeg'"):
        style.save(some_figure(), tmp_path / "figure.jpeg")


def test_letters_are_bold_at_the_top_left():
    (ax,) = some_figure().axes
    assert ax.get_title(loc="left") == "a"
    assert ax.get_title() == ""
    assert ax._left_title.get_fontweight() == "bold"


def test_the_style_is_in_force_only_while_drawing():
    def settings():
        return [matplotlib.rcParams[key] for key in ("font.size", "pdf.fonttype", "axes.spines.top")]

    before = settings()
    assert style.styled(settings)() == [8, 42, False] != before
    assert settings() == before


def test_drawing_and_saving_do_without_pyplot(tmp_path):
    code = (
        "import sys; from permconf_study.paper.figures import fig01; from permconf.plotting import style;"
        f"style.save(fig01.figure(), {str(tmp_path / 'figure.pdf')!r}); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(style.__file__).parents[2])


def test_a_users_settings_do_not_leak_into_a_figure():
    with matplotlib.rc_context({"axes.facecolor": "pink"}), style.context():
        assert matplotlib.rcParams["axes.facecolor"] == "white"


@pytest.mark.parametrize("title", ["$\\frac{1}$", "a $b_$ c", "costs $5", "$\\nosuch$ and $x$"])
def test_a_title_that_is_no_mathematics_is_shown_as_it_is(title, tmp_path):
    drawing = Figure()
    text = drawing.suptitle(title)
    style.tolerant(text)
    assert not text.get_parse_math()
    style.save(drawing, tmp_path / "x.png")


def test_mathematics_in_a_title_is_set():
    text = Figure().suptitle("$R^2$ of\n$\\beta = 1$")
    style.tolerant(text)
    assert text.get_parse_math()
