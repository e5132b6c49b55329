import numpy as np
import pandas as pd

from permconf.paper.figures.comparisons import compared


def good_and_failed(observed, p, *, failed=0):
    ok = pd.DataFrame(
        {"observed": observed, "corrected": observed, "response_p": p, "confounding_p": p, "status": "ok"}
    )
    lost = pd.DataFrame({"observed": np.nan, "status": ["failed"] * failed})
    return pd.concat([ok, lost], ignore_index=True) if failed else ok


def test_medians_rates_and_sizes_are_those_of_the_good_rows():
    tables = {
        "a/first/tests": good_and_failed([0.6, 0.7, 0.8], [0.01, 0.05, 0.5], failed=2),
        "a/second/tests": good_and_failed([0.5, 0.5, 0.9, 0.9], [0.2, 0.2, 0.2, 0.01]),
        "b/first/tests": good_and_failed([0.4], [1.0]),
    }
    figure = compared(tables, {"a": "group A", "b": "group B"})
    metrics, rates = figure.axes[:2]
    assert [tick.get_text() for tick in metrics.get_yticklabels()] == ["first\nn = 3", "second\nn = 4"]
    assert np.allclose(metrics.lines[0].get_xdata(), [0.7, 0.7])
    assert np.allclose(rates.lines[0].get_xdata(), [2 / 3, 1 / 4])
    assert metrics.get_title() == "group A"
    assert len(figure.axes) == 4
