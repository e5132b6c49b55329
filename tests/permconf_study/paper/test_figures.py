"""The figures of the paper show the contents of their tables, in the colours of the roles."""

import importlib
import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from scipy.stats import norm

from permconf.permute.random_streams import Streams
from permconf.plotting import style
from permconf_study.paper.figures import fig02, fig03, fig05, fig09, figS1, graphs
from permconf_study.paper.figures.table1 import figure, parameter_columns
from permconf_study.paper.tables.stratified_example import stratified_example
from permconf_study.paper.tables.theorems import theorem_decay, theorem_table
from permconf_study.study.rejection_rates import alpha_grid, rejection_curve

pytestmark = pytest.mark.usefixtures("readable_in_print")
B = 400
RNG = np.random.default_rng(7)


def drawn(module, tables=None):
    """The figure of a module."""
    return importlib.import_module(f"permconf_study.paper.figures.{module}").figure(tables)


def panels(drawing):
    """Axes by their letters."""
    return {ax.get_title(loc="left"): ax for ax in drawing.axes if ax.get_title(loc="left")}


def lines(ax, colour):
    """x positions of the vertical lines of a colour."""
    found = [line for line in ax.lines if line.get_color() == colour and len(set(line.get_xdata())) == 1]
    return [line.get_xdata()[0] for line in found]


def fills(ax):
    return {to_hex(patch.get_facecolor()) for patch in ax.patches if patch.get_fill()}


def nulls_of(*roles):
    return {to_hex(role) for role in roles}


def histogram(ax, colour):
    """Area and mean of the histogram of a colour."""
    (outline,) = [patch for patch in ax.patches if patch.get_facecolor() == to_rgba(colour, 0.45)]
    x, y = outline.get_xy().T
    area = np.trapezoid(y, x)
    return area, np.trapezoid(x * y, x) / area


def long(datasets, centres, *, metrics=("correlation",), sd=0.03):
    """A table of draws around centres[null]."""
    parts = [
        pd.DataFrame({"dataset": d, "metric": m, "null": null, "value": RNG.normal(centre, sd, B)})
        for d, m, (null, centre) in itertools.product(datasets, metrics, centres.items())
    ]
    return pd.concat(parts, ignore_index=True)


# --- Graphs: Figs. 1 and A1 ---

ALL = {name: value for name, value in vars(graphs).items() if isinstance(value, graphs.Graph)}


def test_the_graphs_are_those_of_the_paper():
    edges = {name: {edge[:3] for edge in graph.edges} for name, graph in ALL.items()}
    C, X, Y, S = "$C$", "$X$", "$Y$", "$S$"
    assert edges["CONFOUNDED"] == {(C, X, "arrow"), (C, Y, "arrow"), (Y, X, "arrow")}
    assert edges["SELECTED"] == edges["CONFOUNDED"] | {(C, S, "arrow"), (Y, S, "arrow")}
    assert edges["ASSOCIATED"] == {(C, X, "line"), (C, Y, "line"), (Y, X, "line")}
    assert edges["RESTRICTED"] == {(C, X, "line"), (C, graphs.Y_RESTRICTED, "line")}
    assert edges["STANDARD"] == {(C, X, "line")}
    features = ("$X_1$", "$X_2$", "$X_{10}$")
    assert edges["CLASSIFICATION"] == {(C, Y, "both")} | {(s, t, "arrow") for s in (C, Y) for t in features}
    labels = {edge[:2]: edge.label for edge in graphs.CORRELATION_MODEL.edges}
    assert labels == {(C, X): r"$\beta_{xc}$", (C, Y): r"$\beta_{yc}$", (Y, X): r"$\beta_{xy}$"}
    assert list(panels(drawn("fig01"))) == ["a", "b", "c"]
    (ax,) = drawn("figA1").axes  # nodes from (0, 0) to (2, 1), with a margin
    assert (ax.get_xlim(), ax.get_ylim()) == ((-graphs.MARGIN, 2 + graphs.MARGIN), (-graphs.MARGIN, 1 + graphs.MARGIN))


# --- Fig. 2 ---


def test_fig_2_shows_cells_the_line_between_levels_and_counts():
    table = pd.DataFrame(stratified_example(Streams(20180518, "stratified_example")))
    axes = panels(fig02.figure({"stratified": table.sample(frac=1, random_state=1)}))
    assert list(axes) == list("abcdefgh")
    for letter, panel in zip("defgh", fig02.PANELS, strict=True):
        values = table[table["panel"] == panel].pivot(index="row", columns="column", values="value").to_numpy()
        (mesh,), (line,) = axes[letter].collections, axes[letter].lines
        np.testing.assert_array_equal(mesh.get_array().reshape(16, -1), values)
        assert axes[letter].yaxis_inverted()
        assert (list(line.get_ydata()), line.get_color()) == ([7, 7], style.STANDARD)
        if letter in "fgh":
            (top,) = axes[letter].child_axes
            written = [[int(t.get_text()) for t in ax.get_xticklabels()] for ax in (top, axes[letter])]
            assert written == [values[:7].sum(axis=0).tolist(), values[7:].sum(axis=0).tolist()]
            np.testing.assert_allclose(mesh.to_rgba([0, 1]), [to_rgba(style.LIGHT), to_rgba(style.DARK)])
    assert set(written[0]) != {4}  # standard permutations; restricted ones keep the counts (test_tables.py)


# --- Fig. 3 ---


def test_fig_3_has_the_graph_and_three_nulls_with_the_observed_auc():
    counts = [(45, 5, 5, 45, 1), (40, 10, 10, 40, 0), (25, 25, 25, 25, 1)]
    design = pd.DataFrame(counts, columns=["n11", "n10", "n01", "n00", "beta"]).assign(theta=1, dataset=range(3))
    tests = {"dataset": range(3), "observed": [0.97, 0.74, 0.81], "n_permutations": B}
    tests = pd.DataFrame(tests | {"response_p": [1 / (B + 1), 0.52, 0.2]})
    tables = {"design": design, "tests": tests, "draws": long(range(3), {"restricted": 0.7}, metrics=("auc",))}
    axes = panels(fig03.figure({f"auc/{name}": table for name, table in tables.items()}))
    assert list(axes) == list("abcd")
    for name, observed in zip("bcd", tests["observed"], strict=True):
        assert lines(axes[name], style.OBSERVED) == [observed]
        assert fills(axes[name]) == nulls_of(style.RESTRICTED)
    titles = [axes[name].get_title() for name in "bcd"]
    assert titles[0] == "cor$(C, Y) = 0.8$\n$\\theta = 1$, $\\beta = 1$\n$p = 1/401$"
    assert titles[1].endswith("$\\beta = 0$\n$p = 0.52$")


# --- Figs. 4 and 7 ---

EXAMPLES = {"inside": 1, "above": 5, "far above": 7, "below": 2, "far below": 0}


@pytest.fixture
def correlations():
    number, partial = np.arange(8), np.linspace(-0.9, 0.9, 8)
    moments = {"restricted_mean": 0.3, "restricted_sd": 0.03, "baseline_mean": 0.0, "baseline_sd": 0.032}
    tests = pd.DataFrame({"dataset": number, "observed": 0.3 + 0.03 * number, "n_permutations": B, **moments})
    tests["corrected"] = partial + 0.01 * (number == 3)
    tests["corrected_quantile"] = np.clip(partial, -0.12, 0.12)
    tests["response_p"] = np.where(partial < -0.12, 1, np.where(partial > 0.12, 1 / (B + 1), 0.5))
    association = {"dataset": number, "partial_correlation": partial, "theorem1_mc": partial + 0.002}
    tables = {
        "tests": tests,
        "association": pd.DataFrame(association | {"theorem1_exact": partial}).iloc[::-1],
        "examples": pd.DataFrame({"example": EXAMPLES.keys(), "dataset": EXAMPLES.values()}),
        "selected_draws": long(EXAMPLES.values(), {"restricted": 0.3, "standard": 0.0}),
    }
    return {f"correlation/{name}": table for name, table in tables.items()}


def test_fig_4_shows_each_example_with_purple_then_with_orange(correlations):
    axes = panels(drawn("fig04", correlations))
    assert list(axes) == list("abcdefghijk")
    tests = correlations["correlation/tests"].set_index("dataset")
    corrections = {"corrected_quantile": style.QUANTILE_CORRECTED, "corrected": style.CORRECTED}
    for name, (example, correction) in zip("bcdefghijk", itertools.product(EXAMPLES, corrections), strict=True):
        row, ax = tests.loc[EXAMPLES[example]], axes[name]
        assert lines(ax, style.OBSERVED) == [row["observed"]]
        assert {c: lines(ax, colour) for c, colour in corrections.items() if lines(ax, colour)} == {
            correction: [row[correction]]
        }
        assert fills(ax) >= nulls_of(style.RESTRICTED, style.STANDARD)
        assert ax.get_xlim() == axes["b"].get_xlim()
        assert ax.get_ylabel() == (example if correction == "corrected_quantile" else "")
    assert axes["b"].get_xlim()[1] > 0.9  # everything is within
    x, y = next(line for line in axes["a"].lines if line.get_color() == style.QUANTILE_CORRECTED).get_data()
    np.testing.assert_allclose(x, np.clip(y, -0.12, 0.12))  # joined by data set
    assert "$-0.12$ and $0.12$" in axes["a"].texts[0].get_text()


def test_fig_7_draws_one_example_and_both_comparisons(correlations):
    axes = panels(drawn("fig07", correlations))
    assert list(axes) == list("abc")
    row = correlations["correlation/tests"].loc[EXAMPLES["inside"]]
    assert lines(axes["a"], style.OBSERVED) == [row["observed"]]
    assert lines(axes["a"], style.CORRECTED) == [row["corrected"]]
    assert "RMSE 0.0035\nlargest 0.0100" in axes["b"].texts[0].get_text()
    assert "RMSE 0.0020\nlargest 0.0020\n(exact mean: 0e+00)" in axes["c"].texts[0].get_text()


# --- Figs. 5 and 6 ---


@pytest.mark.parametrize(
    ("role", "metrics"), [("regression", ["mae", "mse", "ccc"]), ("classification", ["auc", "accuracy"])]
)
def test_rows_are_metrics_and_columns_are_test_sizes(role, metrics):
    sizes = [(1, 15), (0, 30), (2, 100)]  # data set and test samples
    tests = pd.DataFrame([{"dataset": d, "metric": m, "n_test": n} for d, n in sorted(sizes) for m in metrics])
    centres = {(m, d): 10 * d + k for k, m in enumerate(metrics) for d, _ in sizes}
    draws = pd.concat(
        long([d], {"restricted": centre, "standard": centre - 1}, metrics=[m], sd=0.1)
        for (m, d), centre in centres.items()
    )
    axes = panels(fig05.figure({f"{role}/tests": tests, f"{role}/draws": draws}, role=role))
    assert "".join(axes) == "abcdefghi"[: len(centres)]
    assert [axes[name].get_title() for name in "abc"] == [f"{n} test samples" for _, n in sizes]
    for ax, centre in zip(axes.values(), centres.values(), strict=True):
        curves = {line.get_color(): line.get_xdata().mean() for line in ax.lines}
        assert curves == pytest.approx({style.RESTRICTED: centre, style.STANDARD: centre - 1}, abs=0.03)
        assert fills(ax) >= nulls_of(style.RESTRICTED, style.STANDARD)


# --- Fig. 8 and Table 1 ---


def test_fig_8_shows_curves_and_the_usable_data_sets(rng):
    tables = {}
    for experiment, power in zip("1234", (4, 4, 1, 1), strict=True):
        curve = pd.DataFrame(rejection_curve(rng.random(50) ** power, alpha_grid(20)))
        tables[f"{experiment}/curves"] = pd.concat([curve.assign(test=t) for t in ("response", "confounding")])
        metrics = {"observed": 0.7 + rng.normal(0, 0.05, 50), "corrected": 0.6 + rng.normal(0, 0.05, 50)}
        tables[f"{experiment}/tests"] = pd.DataFrame(metrics | {"status": ["failed"] * 3 + ["ok"] * 47})
    axes = panels(drawn("fig08", tables))
    assert list(axes) == list("abcdef")
    for experiment, line, colour in zip("1234", axes["a"].lines[1:], style.EXPERIMENTS, strict=True):
        table = tables[f"{experiment}/curves"]
        np.testing.assert_array_equal(line.get_ydata(), table.loc[table["test"] == "response", "rate"])
        assert line.get_color() == colour
    for column, colour in (("observed", style.OBSERVED), ("corrected", style.CORRECTED)):
        mean = tables["1/tests"][column][3:].mean()
        assert histogram(axes["c"], colour) == pytest.approx((47 * 0.02, mean), abs=0.01)
    assert axes["c"].get_ylabel() == "data sets (of 47)"


def test_table_1_of_the_paper(scenarios):
    columns = parameter_columns([scenarios[f"exp{k}"] | {"datasets": 1000} for k in (1, 2, 3, 4)])
    rows = {row[0]: row[1:] for row in zip(*columns.values(), strict=True)}
    assert rows["hypotheses"] == ("H1*, H1c", "H1*, H0c", "H0*, H1c", "H0*, H0c")
    assert rows["p10"] == ("[0.05, 0.075]", "p11", "[0.05, 0.075]", "p11")
    assert rows["p01"] == ("1 - p11 - p00 - p10", "p00", "1 - p11 - p00 - p10", "p00")
    assert rows["beta"] == ("[0.1, 1]", "[0.1, 1]", "0", "0")
    assert rows["n"] == ("{200, ..., 600}",) * 4
    typeset = figure(columns).axes[0].tables[0]
    assert typeset[2, 1].get_text().get_text() == "1000"
    assert typeset[6, 2].get_text().get_text() == "$p_{11}$"


# --- Figs. 9 to 11 ---


def cells(counts, name="development"):
    counts = np.asarray(counts)
    y, c = np.indices(counts.shape)
    columns = {"y": y.ravel(), "c": c.ravel(), "count": counts.ravel().astype(float)}
    return pd.DataFrame({"set": name, **columns, "share": counts.ravel() / counts.sum()})


def test_areas_of_a_mosaic_are_shares_and_cells_are_written():
    ax = Figure().subplots()
    fig09.draw_mosaic(ax, cells([[4082, 986], [978, 3954]]))
    boxes = [patch.get_bbox() for patch in ax.patches]  # column by column, from the bottom
    assert [box.width * box.height / (1 - fig09.GAP) ** 2 for box in boxes] == pytest.approx(
        [0.4082, 0.0978, 0.0986, 0.3954]
    )
    assert boxes[1].y0 == pytest.approx(boxes[0].y1 + fig09.GAP)
    assert boxes[2].x0 == pytest.approx(boxes[0].x1 + fig09.GAP)
    assert (boxes[3].x1, boxes[3].y1) == pytest.approx((1, 1))
    texts = {text.get_text() for text in ax.texts}
    assert texts == {"4082\n(40.82 %)", "986\n(9.86 %)", "978\n(9.78 %)", "3954\n(39.54 %)", "female", "male"}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["control", "case"]
    empty = Figure().subplots()
    fig09.draw_mosaic(empty, cells([[4, 0], [1, 5]]).assign(count=np.nan))
    assert {text.get_text() for text in empty.texts} == {"40.00 %", "10.00 %", "50.00 %", "female", "male"}


@pytest.mark.parametrize(("sets", "titles"), fig09.PANELS.items())
def test_mosaics_are_lettered_and_show_the_number_of_rows(sets, titles):
    table = pd.concat([cells([[40, 10], [10, 41]], name) for name in titles])
    table.loc[table["set"] == "population", "count"] = np.nan
    axes = panels(fig09.figure({"cells": table}, sets=sets))
    assert "".join(axes) == "abcd"[: len(titles)]
    for ax, (name, title) in zip(axes.values(), titles.items(), strict=True):
        assert ax.get_title() == (title if name == "population" else f"{title}, n = 101")


def test_fig_11_draws_the_nulls_and_values_of_the_first_data_set():
    relative = {"dataset": [0, 0, 1, 1], "relative_to": ["standard", "population"] * 2}
    relative |= {"observed": [0.83, 0.83, 0.1, 0.1], "corrected": [0.62, 0.67, 0.2, 0.3]}
    tables = {
        "development/draws": long((0, 1), {"restricted": 0.77, "standard": 0.5}, sd=0.01),
        "baseline/draws": long((0, 1), {"restricted": 0.56}, sd=0.01),
        "relative": pd.DataFrame(relative),
    }
    (ax,) = drawn("fig11", tables).axes
    assert [lines(ax, role) for role in (style.OBSERVED, style.CORRECTED, style.POPULATION)] == [[0.83], [0.62], [0.67]]
    for colour, mean in ((style.POPULATION, 0.56), (style.RESTRICTED, 0.77)):
        assert histogram(ax, colour) == pytest.approx((1, mean), abs=0.003)
    (curve,) = [line for line in ax.lines if line.get_color() == style.STANDARD]
    x, density = curve.get_data()
    assert np.trapezoid(density, x) == pytest.approx(1, abs=0.03)
    assert x[np.argmax(density)] == pytest.approx(0.5, abs=0.01)
    labels = ax.get_legend_handles_labels()[1]
    assert (len(labels), "observed AUC, 0.830" in labels) == (6, True)


# --- Figs. S1 and S2 ---


def test_fig_s1_compares_algorithm_2_with_the_normal_approximation(rng):
    tables = {}
    for size, n in (("small", 10), ("large", 100)):
        steps = rng.binomial(40 * n, 0.5, 4000) / (40 * n)
        draws = pd.DataFrame({"null": "algorithm2", "value": steps})
        tables[f"{size}/draws"] = pd.concat([pd.DataFrame({"null": "restricted", "value": np.full(n, 0.9)}), draws])
        row = {"n_test": n, "baseline_mean": 0.5, "baseline_sd": 0.1, "algorithm2_inner": n, "algorithm2_p": 0.02}
        tables[f"{size}/tests"] = pd.DataFrame([row | {"algorithm2_statistic": 0.52}])
    axes = panels(figS1.figure(tables))
    assert {name: ax.get_title() for name, ax in axes.items()} == {"a": "test set of 10", "b": "test set of 100"}
    for ax, n in zip(axes.values(), (10, 100), strict=True):
        assert histogram(ax, style.RESTRICTED) == pytest.approx((1, 0.5), abs=0.003)  # of Algorithm 2 only
        (curve,) = [line for line in ax.lines if line.get_color() == style.STANDARD]
        np.testing.assert_allclose(curve.get_ydata(), norm.pdf(curve.get_xdata(), 0.5, 0.1 / np.sqrt(n)))
        assert lines(ax, style.INK) == [0.52]
    notes = [text.get_text() for text in axes["a"].texts]
    assert notes[0] == "observed 0.52"
    assert notes[1].endswith("p = 0.02")
    assert notes[2] == f"normal\nsd 0.032\np = {norm.sf(0.02 / 0.1 * np.sqrt(10)):.2g}"
    assert (figS1.p_text(0.0123), figS1.p_text(0.0)) == ("= 0.012", "< 1e-6")


def test_fig_s2_shows_every_discrepancy_and_the_verdicts(tmp_path):
    table = theorem_table(rng=np.random.default_rng(3), sizes=(30, 60, 120), replicates=4)
    tables = {}
    for name, content in {"theorems": table, "theorem_decay": theorem_decay(table)}.items():
        content.to_csv(tmp_path / "table.csv", index=False)  # which turns an empty estimator into a missing one
        tables[name] = pd.read_csv(tmp_path / "table.csv")
    axes = panels(drawn("figS2", tables))
    assert list(axes) == list("abcdef")
    for ax in axes.values():
        assert [list(line.get_xdata()) for line in ax.lines[1::2]] == [[30, 60, 120]] * 3  # medians of three equations
    where = "confounder == 'three levels' and coding == 'numeric' and effect == 'nonlinear' and theorem == 1"
    rows = tables["theorems"].query(f"{where} and statistic == 'correlation'")
    points, medians = axes["f"].lines[:2]
    np.testing.assert_allclose(points.get_ydata(), rows["discrepancy"].abs())
    assert medians.get_ydata()[0] == pytest.approx(rows.query("n == 30")["discrepancy"].abs().median())
    written = {name: [text.get_text() for text in ax.texts] for name, ax in axes.items()}
    assert {"Theorem 1: exact", "Theorem 2, V-statistics: vanishing"} <= set(written["a"])
    assert "Theorem 1: not vanishing" in written["f"]
