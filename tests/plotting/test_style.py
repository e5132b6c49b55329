"""Colours, letters and byte-stable files."""

import itertools
import re

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from permconf.plotting import style

ROLES = ("RESTRICTED", "STANDARD", "OBSERVED", "CORRECTED", "QUANTILE_CORRECTED", "POPULATION", "INK")

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


@style.styled
def some_figure():
    figure, ((ax,),) = style.lettered(2, 1, 1, width=2)
    ax.plot([0, 1], [1, 0], label=r"$\beta_{xy}$")
    ax.legend()
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
def test_the_same_figure_gives_the_same_bytes_without_date_and_version(tmp_path, suffix):
    one, two = (tmp_path / f"{name}{suffix}" for name in ("one", "two"))
    for path in (one, two):
        style.save(some_figure(), path)
    content = one.read_bytes()
    assert content == two.read_bytes()
    assert not re.search(rb"CreationDate|ModDate|Producer|Creator|Software|Matplotlib", content)
    if suffix == ".pdf":
        assert b"/CIDFontType2" in content  # TrueType fonts are embedded
    else:
        assert int.from_bytes(content[16:20], "big") == 600  # 300 dpi
    with pytest.raises(ValueError, match=r"saved as .pdf or .png, not as 'figure.jpeg'"):
        style.save(some_figure(), tmp_path / "figure.jpeg")


def test_the_style_is_in_force_only_while_drawing():
    def settings():
        return [matplotlib.rcParams[key] for key in ("font.size", "pdf.fonttype", "axes.spines.top")]

    with matplotlib.rc_context({"font.size": 30}):  # a user's own setting
        before = settings()
        assert style.styled(settings)() == [8, 42, False] != before
        assert settings() == before


@pytest.mark.parametrize("title", ["$\\frac{1}$", "a $b_$ c", "costs $5", "$R^2$ of\n$\\beta = 1$"])
def test_a_title_that_is_no_mathematics_is_shown_as_it_is(title, tmp_path):
    drawing = Figure()
    text = drawing.suptitle(title)
    style.tolerant(text)
    assert text.get_parse_math() == title.startswith("$R^2$")
    style.save(drawing, tmp_path / "x.png")
