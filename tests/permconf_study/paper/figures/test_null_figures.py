"""Figs. 3 to 7 show the contents of their tables."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from permconf.plotting import style
from permconf_study.paper.figures import fig03, fig04, fig05, fig06, fig07

B = 400
RNG = np.random.default_rng(7)
COUNTS = [(45, 5, 5, 45, 1), (40, 10, 10, 40, 0), (25, 25, 25, 25, 1)]


def panels(figure):
    return {ax.get_title(loc="left"): ax for ax in figure.axes if ax.get_title(loc="left")}


def lines(ax, colour):
    """x positions of the vertical lines of a colour."""
    found = [line for line in ax.lines if line.get_color() == colour and len(set(line.get_xdata())) == 1]
    return [line.get_xdata()[0] for line in found]


def fills(ax):
    return {patch.get_facecolor()[:3] for patch in ax.patches if patch.get_fill()}


def long(datasets, centres, *, metrics=("correlation",), sd=0.03, decimals=12):
    """A table of draws around centres[null]."""
    parts = [
        pd.DataFrame({"dataset": d, "metric": m, "null": null, "value": np.round(RNG.normal(centre, sd, B), decimals)})
        for d in datasets
        for m in metrics
        for null, centre in centres.items()
    ]
    return pd.concat(parts, ignore_index=True)


# --- Fig. 3 ---


@pytest.fixture
def auc_tables():
    design = pd.DataFrame(COUNTS, columns=["n11", "n10", "n01", "n00", "beta"]).assign(theta=1, dataset=range(3))
    tests = pd.DataFrame(
        {
            "dataset": range(3),
            "observed": [0.97, 0.74, 0.81],
            "n_permutations": B,
            "response_p": [1 / (B + 1), 0.52, 0.2],
        }
    )
    draws = long(range(3), {"restricted": 0.7}, metrics=("auc",))
    return {"auc/design": design, "auc/tests": tests, "auc/draws": draws}


def test_fig_3_has_the_graph_and_three_nulls_with_the_observed_auc(auc_tables):
    axes = panels(fig03.figure(auc_tables))
    assert list(axes) == list("abcd")
    for name, observed in zip("bcd", [0.97, 0.74, 0.81], strict=True):
        assert lines(axes[name], style.OBSERVED) == [observed]
        assert fills(axes[name]) == {to_rgb(style.RESTRICTED)}


def test_fig_3_titles_have_correlation_effects_and_p_value(auc_tables):
    axes = panels(fig03.figure(auc_tables))
    titles = [axes[name].get_title() for name in "bcd"]
    assert ["= 0.8$" in titles[0], "= 0.6$" in titles[1], "= 0$" in titles[2]] == [True] * 3
    assert r"$p = 1/401$" in titles[0]
    assert r"$\beta = 0$, $p = 0.52$" in titles[1]


def test_correlation_from_counts_is_that_of_the_samples():
    row = pd.Series({"n11": 30, "n10": 5, "n01": 12, "n00": 53})
    y, c = np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], [30, 5, 12, 53], axis=1)
    assert fig03.cell_correlation(row) == pytest.approx(np.corrcoef(y, c)[0, 1])


# --- Figs. 4 and 7 ---


@pytest.fixture
def correlation_tables():
    number = np.arange(8)
    partial = np.linspace(-0.9, 0.9, 8)
    tests = pd.DataFrame(
        {
            "dataset": number,
            "observed": 0.3 + 0.03 * number,
            "restricted_mean": 0.3,
            "restricted_sd": 0.03,
            "baseline_mean": 0.0,
            "baseline_sd": 0.032,
            "corrected": partial + 0.01 * (number == 3),
            "corrected_quantile": np.clip(partial, -0.12, 0.12),
            "response_p": np.where(partial < -0.12, 1, np.where(partial > 0.12, 1 / (B + 1), 0.5)),
            "n_permutations": B,
        }
    )
    association = pd.DataFrame(
        {
            "dataset": number[::-1],
            "partial_correlation": partial[::-1],
            "theorem1_mc": partial[::-1] + 0.002,
            "theorem1_exact": partial[::-1],
        }
    )
    names = ["inside", "above", "far above", "below", "far below"]
    examples = pd.DataFrame({"example": names, "dataset": [1, 5, 7, 2, 0]})
    draws = long([1, 5, 7, 2, 0], {"restricted": 0.3, "standard": 0.0})
    names = ("tests", "association", "examples", "selected_draws")
    return {f"correlation/{k}": t for k, t in zip(names, (tests, association, examples, draws), strict=True)}


def test_fig_4_shows_each_example_with_purple_then_with_orange(correlation_tables):
    axes = panels(fig04.figure(correlation_tables))
    assert list(axes) == list("abcdefghijk")
    tests = correlation_tables["correlation/tests"].set_index("dataset")
    for k, dataset in enumerate([1, 5, 7, 2, 0]):
        purple, orange = axes["bdfhj"[k]], axes["cegik"[k]]
        for ax, column, colour, other in (
            (purple, "corrected_quantile", style.QUANTILE_CORRECTED, style.CORRECTED),
            (orange, "corrected", style.CORRECTED, style.QUANTILE_CORRECTED),
        ):
            assert lines(ax, style.OBSERVED) == [tests["observed"][dataset]]
            assert lines(ax, colour) == [tests[column][dataset]]
            assert lines(ax, other) == []
            assert fills(ax) >= {to_rgb(style.RESTRICTED), to_rgb(style.STANDARD)}
            assert ax.get_xlim() == axes["b"].get_xlim()
        assert purple.get_title(loc="right") == correlation_tables["correlation/examples"]["example"][k]


def test_fig_4_everything_lies_within_the_axes(correlation_tables):
    low, high = panels(fig04.figure(correlation_tables))["k"].get_xlim()
    draws = correlation_tables["correlation/selected_draws"]["value"]
    assert low < min(draws.min(), -0.9)
    assert high > max(draws.max(), 0.9)


def test_fig_4a_joins_tables_by_data_set_and_shows_where_it_is_truncated(correlation_tables):
    ax = panels(fig04.figure(correlation_tables))["a"]
    x, y = next(line for line in ax.lines if line.get_color() == style.QUANTILE_CORRECTED).get_data()
    np.testing.assert_allclose(x, np.clip(y, -0.12, 0.12))
    assert "$-0.12$ and $0.12$" in ax.texts[0].get_text()


def test_fig_7_draws_one_example_and_both_comparisons(correlation_tables):
    axes = panels(fig07.figure(correlation_tables))
    assert list(axes) == list("abc")
    tests = correlation_tables["correlation/tests"].set_index("dataset").loc[1]
    assert lines(axes["a"], style.OBSERVED) == [tests["observed"]]
    assert lines(axes["a"], style.CORRECTED) == [tests["corrected"]]
    assert "RMSE 0.0035\nlargest 0.0100" in axes["b"].texts[0].get_text()
    assert "RMSE 0.0020\nlargest 0.0020\n(exact mean: 0e+00)" in axes["c"].texts[0].get_text()


def test_fig_7a_fills_equal_areas_when_the_correction_is_the_formula(correlation_tables):
    tests = correlation_tables["correlation/tests"]
    corrected = (tests["observed"] - 0.3) * 0.032 / 0.03
    tables = correlation_tables | {"correlation/tests": tests.assign(corrected=corrected)}
    areas = []
    for tail in panels(fig07.figure(tables))["a"].collections:
        outline = tail.get_paths()[0].vertices
        x, y = outline[:, 0], outline[:, 1]
        areas.append(abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2)
    assert len(areas) == 2
    assert areas[0] == pytest.approx(areas[1], rel=1e-6)
    assert areas[0] == pytest.approx(0.1587, abs=0.001)  # the observed value is one standard deviation up


# --- Figs. 5 and 6 ---


@pytest.mark.parametrize(
    ("module", "role", "metrics", "letters"),
    [
        (fig05, "regression", ["mae", "mse", "ccc"], "abcdefghi"),
        (fig06, "classification", ["auc", "accuracy"], "abcdef"),
    ],
)
def test_rows_are_metrics_and_columns_are_test_sizes(module, role, metrics, letters):
    tests = pd.DataFrame(
        [{"dataset": d, "metric": m, "n_test": n} for d, n in enumerate((30, 15, 100)) for m in metrics]
    )
    draws = pd.concat(
        long([d], {"restricted": 10 * d + k, "standard": 10 * d + k - 1}, metrics=[m], sd=0.1)
        for d in range(3)
        for k, m in enumerate(metrics)
    )
    axes = panels(module.figure({f"{role}/tests": tests, f"{role}/draws": draws}))
    assert list(axes) == list(letters)
    assert [axes[name].get_title() for name in "abc"] == [f"{n} test samples" for n in (15, 30, 100)]
    for k, name in enumerate(letters):
        metric, dataset = k // 3, (1, 0, 2)[k % 3]
        centre = 10 * dataset + metric
        low, high = axes[name].get_xlim()
        assert low < centre - 1 < centre < high < centre + 1
        assert fills(axes[name]) >= {to_rgb(style.RESTRICTED), to_rgb(style.STANDARD)}
        curves = {line.get_color(): line.get_xdata().mean() for line in axes[name].lines}
        assert curves[style.RESTRICTED] == pytest.approx(centre, abs=0.03)
        assert curves[style.STANDARD] == pytest.approx(centre - 1, abs=0.03)
