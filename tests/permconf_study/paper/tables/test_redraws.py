"""Redraws of figures: the same numbers as the scenario run alone, and distances as a plain loop has them."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest, norm

from permconf_study.paper.tables.normality import normal_distances
from permconf_study.paper.tables.redraws import COPIED, redraw_table
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.datasets import simulate

SEED = 3


def small(scenarios, name):
    return scenarios[name] | {"datasets": 3, "permutations": 30}


@pytest.fixture(scope="module")
def table(scenarios):
    chosen = {name: small(scenarios, name) for name in ("fig05_redraws", "fig05_redraws_linear")}
    return redraw_table(chosen, seed=SEED)


def test_rows_are_those_of_the_scenario(table, scenarios):
    scenario = small(scenarios, "fig05_redraws_linear")
    design = {"dataset": np.arange(3), "n": np.array([30, 60, 200])}
    design |= {name: np.full(3, value) for name, value in scenario["data"]["parameters"].items() if name != "n"}
    datasets = simulate(scenario["data"], design, stream="fig05_redraws", seed=SEED)
    tests, draws = assess_datasets(datasets, scenario | {"draws": "all"}, stream="fig05_redraws", seed=SEED)
    here = table[table["scenario"] == "fig05_redraws_linear"].reset_index(drop=True)
    pd.testing.assert_frame_equal(here[list(COPIED)], pd.DataFrame(tests)[list(COPIED)])
    draws = pd.DataFrame(draws)
    for row in here.itertuples():
        for null in ("restricted", "standard"):
            own = draws[(draws["dataset"] == row.dataset) & (draws["metric"] == row.metric) & (draws["null"] == null)]
            plain = kstest(own["value"], norm(own["value"].mean(), own["value"].std()).cdf).statistic
            assert getattr(row, f"{null}_distance") == pytest.approx(plain, abs=1e-6)


def test_distance_with_and_without_steps():
    draws = np.repeat([0.0, 1.0, 2.0], [1, 2, 1])
    sd = draws.std(ddof=1)
    below = norm.cdf(0, 1, sd)  # of the lowest value; the null has jumped to 1/4 there
    assert normal_distances(draws) == pytest.approx((max(abs(0.25 - below), 0.25), abs(0.125 - below)))
    assert normal_distances(draws, (0.0, 1.0))[0] == pytest.approx(norm.cdf(1) - 0.25)
