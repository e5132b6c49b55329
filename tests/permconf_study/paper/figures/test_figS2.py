"""Figure S2 shows every discrepancy and the verdicts of its tables."""

import numpy as np
import pytest

from permconf_study.paper.figures import figS2
from permconf_study.paper.tables.theorems import theorem_decay, theorem_table


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """As written to CSV and read back, which turns an empty estimator into a missing one."""
    import pandas as pd

    folder = tmp_path_factory.mktemp("theorems")
    table = theorem_table(rng=np.random.default_rng(3), sizes=(30, 60, 120), replicates=4)
    made = {}
    for name, content in {"theorems": table, "theorem_decay": theorem_decay(table)}.items():
        content.to_csv(folder / f"{name}.csv", index=False)
        made[name] = pd.read_csv(folder / f"{name}.csv")
    return made


LABELS = [label for label, *_ in figS2.EQUATIONS.values()]


def test_six_panels_with_three_equations_each(tables):
    figure = figS2.figure(tables)
    assert [ax.get_title(loc="left") for ax in figure.axes] == list("abcdef")
    for ax in figure.axes:
        medians = [line for line in ax.lines if line.get_label() in LABELS]
        assert len(medians) == 3
        assert all(list(line.get_xdata()) == [30, 60, 120] for line in medians)


def test_points_are_the_discrepancies_of_the_panel(tables):
    ax = figS2.figure(tables).axes[5]
    where = (
        "confounder == 'three levels' and coding == 'numeric' and effect == 'nonlinear' and statistic == 'correlation'"
    )
    rows = tables["theorems"].query(where + " and theorem == 1")
    points = ax.lines[0]
    np.testing.assert_allclose(points.get_ydata(), rows["discrepancy"].abs())
    assert ax.lines[1].get_ydata()[0] == pytest.approx(rows.query("n == 30")["discrepancy"].abs().median())


def test_verdicts_are_written_as_in_the_table(tables):
    written = [[text.get_text() for text in ax.texts] for ax in figS2.figure(tables).axes]
    assert "Theorem 1: exact" in written[0]
    assert "Theorem 2, U-statistics: exact" in written[0]
    assert "Theorem 2, V-statistics: vanishing" in written[0]
    assert "Theorem 1: exact" in written[4]
    assert "Theorem 1: not vanishing" in written[5]
