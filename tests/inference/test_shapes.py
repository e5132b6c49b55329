"""Shapes beside the linear one: found and named, exact, and without a large loss of power."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from permconf import association_test, prediction_test
from permconf.inference.shapes import legendre


def scored(effect, rng, n=300):
    """Scores, response and two confounders, with an effect on the scores that has no linear part."""
    y, c, d = rng.integers(0, 2, n), rng.standard_normal(n), rng.standard_normal(n)
    noise = rng.standard_normal(n)
    effects = {
        "curved": 0.6 * c**2,
        "spread": noise * (np.exp(0.6 * c) - 1),
        "differs between classes": 0.6 * c * (2 * y - 1),
        "together with d": 0.7 * c * d,
    }
    return y + noise + effects[effect], y, pd.DataFrame({"c": c, "d": d})


@pytest.mark.parametrize("shape", ["curved", "spread", "differs between classes", "together with d"])
def test_an_effect_is_found_and_its_shape_is_named(shape, rng):
    scores, y, data = scored(shape, rng)
    test = prediction_test(scores, y, data, permutations=999)
    assert (test.p, test.by_confounder["shape"][0]) == (0.001, shape)
    assert test.statistic > 2 * prediction_test(scores, y, data, permutations=9, shape="linear").statistic
    assert (test.by_confounder["single_p"][0] < 0.01) == (shape != "together with d")


def test_shapes_with_a_numeric_response(rng):
    n = 400
    c, d, y, noise = rng.standard_normal((4, n))
    assert prediction_test(y + 0.6 * c**2 + noise, y, c).by_confounder["shape"][0] == "curved"
    along = prediction_test(y + 0.6 * c * y + noise, y, c)
    assert (along.p < 0.001, along.by_confounder["shape"][0]) == (True, "differs along the response")
    for response, shape in ((c**2 + noise, "curved"), (noise * np.exp(0.6 * c), "spread")):
        test = association_test(response, c)
        assert (test.p < 0.001, test.by_confounder["shape"][0]) == (True, shape)
    both = association_test(c * d + noise, pd.DataFrame({"c": c, "d": d}))
    assert both.by_confounder["shape"].tolist() == ["together with d", "together with c"]
    assert both.pairs == {("c", "d"): 1e-4}


@pytest.mark.parametrize("direction", [1, -1])
def test_the_sign_of_a_curve_is_that_of_both_curves(direction, rng):
    c = rng.standard_normal(500)
    y = (rng.random(500) < 1 / (1 + np.exp(-1.5 * (c**2 - 1)))).astype(int)
    scores = y + direction * 0.6 * c**2 + rng.standard_normal(500)
    assert prediction_test(scores, y, c).sign == ("inflates" if direction == 1 else "masks")
    assert prediction_test(scores, y, c, shape="linear").sign == "unclear"


def test_the_statistic_is_the_largest_weighted_block(rng):
    """Plain permutations of one numeric confounder in one stratum, for the association test."""
    y, c = np.repeat([0, 1], 20), rng.standard_normal(40)

    def statistic(c):
        v = (stats.rankdata(c) / 41 - 0.5)[:, None]
        a, curved = y - y.mean(), legendre(v[:, 0]) - legendre(v[:, 0]).mean(axis=0)
        curved = curved - v @ np.linalg.lstsq(v, curved, rcond=None)[0]
        forms = []
        for C in (v, curved):
            V = (a @ a) * (C.T @ C) / 39
            forms.append(-stats.chi2.logsf((a @ C) @ np.linalg.solve(V, a @ C), C.shape[1]))
        return max(forms[0], forms[1] + np.log(1 / 3))

    assert association_test(y, c, permutations=9).statistic == pytest.approx(statistic(c))
    draws = np.array([statistic(rng.permutation(c)) for _ in range(2000)])
    plain = np.mean(draws >= statistic(c) - 1e-9)
    assert abs(association_test(y, c).p - plain) < 4 * np.sqrt(plain * (1 - plain) * (1 / 2000 + 1 / 9999))


@pytest.mark.statistical
@pytest.mark.parametrize("form", ["classes", "parts", "numeric", "two", "groups"])
def test_the_level_is_nominal(form):
    p = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n, options = 100, {}
        c = rng.standard_normal((n, 2 if form == "two" else 1))
        y = c[:, 0] + rng.standard_normal(n)
        if form != "numeric":
            y = (y > 0).astype(int)
        scores = 2 * y + rng.standard_normal(n) * np.exp(0.5 * y)
        if form == "parts":
            options["parts"] = np.arange(n) % 4
        if form == "groups":
            ids = np.repeat(np.arange(n), 2)
            y, c, options["groups"] = y[ids], c[ids], ids
            scores = scores[ids] + 0.3 * rng.standard_normal(2 * n)
        p.append(prediction_test(scores, y, c, permutations=99, seed=seed, **options).p)
    for level in (0.05, 0.2):
        assert abs(np.mean(np.array(p) <= level) - level) < 3.5 * np.sqrt(level * (1 - level) / 300)
