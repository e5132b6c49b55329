"""The floor of an adjustment: features that know nothing, adjusted and fitted."""

import numpy as np
import pandas as pd
import pytest

from permconf import compare_adjustments
from permconf.auditing.leakage import leaks


@pytest.mark.parametrize("binary", [True, False])
def test_residuals_of_binary_features_tell_a_forest_the_confounder(binary, rng):
    age = rng.standard_normal(200)
    ill = age + 0.5 * rng.logistic(size=200) > 0
    noise = rng.standard_normal((200, 4))
    data = pd.DataFrame(noise > 0 if binary else noise, columns=list("abcd")).astype(float).assign(age=age, ill=ill)
    options = {"learner": {"name": "random_forest", "trees": 20}, "permutations": 2}
    methods = ["none", "spline_residuals", "residuals"]
    found = compare_adjustments(data, response="ill", confounders="age", adjustments=methods, **options)
    assert found["leaks"].tolist() == [False, binary, False]
    assert found["floor"][0] == pytest.approx(0.5, abs=5 * found["floor_error"][0])
    assert (found["floor"][1] > 0.6) == binary
    assert np.isnan(found["floor"][2])
    assert "use 'spline_residuals' instead" in found["error"][2]


def test_a_loss_leaks_where_it_is_smaller():
    chance, values = np.linspace(1.0, 1.1, 10), np.linspace(0.8, 0.95, 10)
    assert leaks(values, chance, larger_is_better=False)
    assert not leaks(values, chance, larger_is_better=True)
    assert not leaks(chance, chance, larger_is_better=True)
