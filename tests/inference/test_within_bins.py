"""Bins are checked: what is left of a confounder within them."""

import numpy as np
import pandas as pd
import pytest

from permconf import assess, within_bins_test


def binned_data(rng, n=600, effect=1.0):
    """Scores that follow age and sex, a response that follows age, and the two confounders."""
    age, sex = rng.uniform(20, 80, n), rng.integers(0, 2, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-(age - 50) / 15))).astype(int)
    scores = y + effect * age / 15 + sex + rng.standard_normal(n)
    return scores, y, pd.DataFrame({"age": age, "sex": sex})


def test_coarse_bins_leave_a_confounder_behind_and_fine_ones_do_not(rng):
    scores, y, data = binned_data(rng)
    coarse = within_bins_test(scores, y, data, confounder={"age": {"quantiles": 2}, "sex": "levels"})
    assert coarse.p == 0.001
    assert coarse.by_confounder["confounder"].tolist() == ["age"]
    assert coarse.notes == (
        "predictions are associated with 'age' within its bins (p = 0.001), so the bins leave confounding behind;"
        " use more bins, or 'smooth'",
    )
    fine = within_bins_test(scores, y, data, confounder=[{"quantiles": 60}, "levels"])
    assert fine.p > 0.05
    assert fine.notes == ()


def test_the_statistic_is_the_plain_one(rng):
    """The sum of products of ranks within the cells of response and bin, over its permutation standard deviation."""
    scores, y, data = binned_data(rng, n=80)
    bins = np.searchsorted(np.quantile(data["age"], [1 / 3, 2 / 3]), data["age"], side="right")
    total, variance = 0.0, 0.0
    for cell in np.unique(10 * y + bins):
        rows = np.flatnonzero(10 * y + bins == cell)
        a, c = ((np.argsort(np.argsort(v)) + 1) / (rows.size + 1) for v in (scores[rows], data["age"].to_numpy()[rows]))
        a, c = a - a.mean(), c - c.mean()
        total += a @ c
        variance += a @ a * (c @ c) / max(rows.size - 1, 1)
    test = within_bins_test(scores, y, data["age"], confounder={"quantiles": 3})
    assert test.by_confounder["z"][0] == pytest.approx(total / np.sqrt(variance))


def test_numeric_responses_and_what_cannot_be_tested(rng):
    scores, _, data = binned_data(rng)
    y = data["age"].to_numpy() + 5 * rng.standard_normal(600)
    assert within_bins_test(scores, y, data["age"], confounder={"width": 2}).p < 0.05
    with pytest.raises(ValueError, match="no confounder is in bins; give confounder"):
        within_bins_test(scores, y, data, confounder="smooth")
    with pytest.raises(ValueError, match="nothing can be permuted: no two rows share a bin and a level of y"):
        within_bins_test(scores[:4], [0, 1, 0, 1], data["age"][:4], confounder={"quantiles": 4})


def test_the_check_has_its_type_i_error(rng):
    """Scores depend on the bin of age only; 200 data sets."""
    rejected = 0
    for seed in range(200):
        age, y = rng.standard_normal(100), rng.integers(0, 2, 100)
        scores = y + (age > np.quantile(age, 0.5)) + rng.standard_normal(100)
        rejected += within_bins_test(scores, y, age, confounder={"quantiles": 2}, permutations=99, seed=seed).p <= 0.05
    assert abs(rejected / 200 - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 200)


def test_assess_warns_of_bins_that_leave_confounding_behind(rng):
    _, y, data = binned_data(rng)
    X = np.c_[data["age"] / 15 + rng.standard_normal(600), rng.standard_normal(600)]
    halves = X[:300], y[:300], data["age"][:300], X[300:], y[300:], data["age"][300:]
    with pytest.warns(UserWarning, match="predictions are associated with 'age' within its bins"):
        assess(*halves, confounder={"quantiles": 2}, permutations=20, seed=1)
    assess(*halves, confounder="smooth", permutations=20, seed=1)
