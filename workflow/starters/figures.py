"""NAME: a figure of a study. `figure: NAME` in a scenario file has it drawn."""

from matplotlib.figure import Figure


def figure(cells):
    """A matplotlib figure of the table of cells, a DataFrame (results/README.md describes its columns)."""
    drawing = Figure(figsize=(5, 3))
    ax = drawing.subplots()
    rates = cells[(cells["measure"] == "rejection_rate") & (cells["alpha"] == 0.05)]
    for test, rows in rates.groupby("of", sort=False):
        places = range(len(rows))
        ax.vlines(places, rows["low"], rows["high"], color="0.7")
        ax.plot(places, rows["value"], "o", label=test)
    ax.set(xlabel="cell", ylabel="rejection rate at 0.05")
    ax.legend()
    return drawing


FIGURE = figure
