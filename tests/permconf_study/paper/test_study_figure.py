import matplotlib.figure
import numpy as np
import pandas as pd
import pytest

from permconf.errors import ConfigError
from permconf_study.paper.figures import figE5, study
from permconf_study.study.cells import RESULTS, with_labels

pytestmark = pytest.mark.usefixtures("readable_in_print")


def cells(learners=("logistic", "forest"), sizes=(100, 200), effects=(0, 0.5)):
    """Rates of two tests and the bias of two estimators in every cell."""
    rows = []
    for k, (learner, n, beta) in enumerate((x, y, z) for x in learners for y in sizes for z in effects):
        about = {"scenario": f"s{k}", "learner": learner, "n": n, "beta": beta, "metric": "auc"}
        value = {"value": k / 10, "mcse": 0.01, "low": k / 10 - 0.02, "high": k / 10 + 0.02, "n_datasets": 50}
        for test in ("response", "confounding"):
            rows += [about | value | {"measure": "rejection_rate", "of": test, "alpha": a} for a in (0.01, 0.05, 0.1)]
        for name, target in (("observed", "as_trained"), ("corrected", "as_trained"), ("corrected", "unconfounded")):
            rows.append(about | value | {"measure": "bias", "of": name, "against": target})
    return pd.DataFrame(rows, columns=["scenario", "learner", "n", "beta", *RESULTS])


def points(ax):
    return [tuple(container.lines[0].get_ydata()) for container in ax.containers]


def test_variables_are_rows_columns_and_colours():
    named = with_labels(cells(), {"beta": {0: "none"}})
    drawn = study.figure(named, title="mine", rows="n", columns="beta", colour="learner")
    assert [ax.get_title() for ax in drawn.axes] == ["beta: none", "beta: 0.5", "", ""]
    assert drawn.axes[2].get_ylabel().startswith("n: 200\nrejection rate at 0.05")
    assert points(drawn.axes[3]) == [(0.3, 0.3), (0.7, 0.7)]  # both tests with each learner
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["learner: logistic", "learner: forest"]
    assert [tick.get_text() for tick in drawn.axes[2].get_xticklabels()] == ["response", "confounding"]


def test_no_two_cells_are_drawn_as_one():
    drawn = study.figure(cells(), x="n", y="bias", of=["corrected"])
    (ax,) = drawn.axes
    assert len(points(ax)) == 4  # learner and beta, which nothing shows, are part of the colour
    looks = {(c.lines[0].get_color(), c.lines[0].get_marker()) for c in ax.containers}
    assert len(looks) == 4
    assert points(ax)[0] == (0.0, 0.2)
    assert ax.get_ylabel() == "bias of auc\n(truth: as trained)"
    (legend,) = drawn.legends
    drawn.draw_without_rendering()
    ends = legend.get_window_extent().intervalx
    assert 0 <= ends[0] < ends[1] <= drawn.bbox.width


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": "size"}, "the study has no variable 'size'"),
        ({"y": "bais"}, "figure.y is 'bais', did you mean 'bias'"),
        ({"of": ["combined"]}, "no rejection rate at 0.05 for 'combined', only for response, confounding"),
        ({"y": "width"}, "the results have no interval width"),
    ],
)
def test_errors_are_sentences(options, message):
    with pytest.raises(ConfigError, match=message):
        study.figure(cells(), **options)


def test_experiment_5(rng):
    alphas = np.linspace(0, 1, 21)
    tables = {}
    for name in ("5a", "5b"):
        parts = [pd.DataFrame({"test": test, "alpha": alphas, "rate": alphas}) for test in figE5.TESTS]
        tables[f"{name}/curves"] = pd.concat(parts).assign(low=lambda t: t["rate"], high=lambda t: t["rate"])
        metrics = {key: rng.uniform(0.4, 0.9, 30) for key in ("observed", "corrected", "reweighted")}
        tables[f"{name}/tests"] = pd.DataFrame({"dataset": range(30), "status": "ok", **metrics})
        tables[f"{name}/unconfounded"] = pd.DataFrame({"dataset": range(30), "as_trained": 0.6})
    drawn = figE5.figure(tables)
    assert isinstance(drawn, matplotlib.figure.Figure)
    assert [ax.get_title(loc="left") for ax in drawn.axes] == list("abcdef")
    medians = [line.get_xdata()[0] for line in drawn.axes[5].get_lines() if line.get_color() == "#1A1A1A"]
    expected = (tables["5a/tests"]["corrected"] - 0.6).median()
    assert np.isclose(medians, expected).any()
