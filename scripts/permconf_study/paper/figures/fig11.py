"""Fig. 11: the nulls of Section 4, and the AUC as observed and as corrected relative to two baselines."""

import numpy as np
from matplotlib.figure import Figure

from permconf.plotting.nulls import draw_histogram, normal_density
from permconf.plotting.style import CORRECTED, OBSERVED, PAGE, POPULATION, RESTRICTED, STANDARD, styled

BIN_WIDTH = 0.002


@styled
def figure(tables):
    """One panel from the draws of the development and population sets and the table of Section 4."""
    drawing = Figure(figsize=(PAGE, 3.2))
    ax = drawing.subplots()
    development = tables["development/draws"].query("dataset == 0")
    baseline = tables["baseline/draws"].query("dataset == 0 and null == 'restricted'")
    restricted, standard = (development.query(f"null == '{null}'")["value"] for null in ("restricted", "standard"))
    draw_three_nulls(ax, restricted, standard, baseline["value"])
    draw_aucs(ax, tables["relative"].query("dataset == 0").set_index("relative_to"))
    drawing.legend(loc="outside lower center", ncols=3, handlelength=2.8)
    return drawing


def draw_three_nulls(ax, restricted, standard, baseline):
    """Histograms of the null of the population sets and of the restricted null, normal density of the standard null."""
    for values, colour, label in (
        (baseline, POPULATION, "baseline null (population of interest)"),
        (restricted, RESTRICTED, "restricted null (development data)"),
    ):
        bins = BIN_WIDTH * np.arange(np.floor(values.min() / BIN_WIDTH), np.ceil(values.max() / BIN_WIDTH) + 1)
        draw_histogram(ax, values, bins, colour, label, density=True)
    mean, sd = standard.mean(), standard.std()
    grid = mean + sd * np.linspace(-4, 4, 200)
    ax.plot(grid, normal_density(grid, mean, sd), color=STANDARD, label="standard null (normal density)")
    ax.set(xlabel="AUC", ylabel="density")


def draw_aucs(ax, relative):
    """Observed AUC and its two corrections, from the rows "standard" and "population"."""
    observed, corrected = relative["observed"].iloc[0], relative["corrected"]
    for value, colour, dashes, label in (
        (observed, OBSERVED, "-", "observed AUC"),
        (corrected["standard"], CORRECTED, "--", "corrected, relative to the standard null"),
        (corrected["population"], POPULATION, "-.", "corrected, relative to the population"),
    ):
        ax.axvline(value, color=colour, ls=dashes, lw=1.8, label=f"{label}, {value:.3f}")
