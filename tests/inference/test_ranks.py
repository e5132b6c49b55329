"""The engine of the prediction and association tests, against plain versions, scipy and enumeration."""

import itertools

import numpy as np
import pytest
from scipy import stats

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.inference import joint_test as rank_test
from permconf.inference.joint_test import joint_test
from permconf.inference.p_values import permutation_ps
from permconf.inference.ranks import (
    Coded,
    centred,
    coded,
    log_chi2_tail,
    midranks,
    normalised_ranks,
    permutation_covariance,
    statistic,
)
from permconf.permute.random_streams import permutation_keys
from permconf.permute.shuffles import shuffled


def keys(b, seed=1):
    return permutation_keys(np.random.default_rng(seed), b)


def column_of(values):
    return Confounders.of(values).columns[0]


def sample(rng, n=60, strata=3):
    """Scores with ties, strata, and a binary, a three-level and a numeric confounder."""
    h = rng.integers(strata, size=n)
    scores = np.round(rng.standard_normal(n) + h, 1)
    confounders = [rng.integers(2, size=n), rng.choice(list("abc"), n), np.round(rng.standard_normal(n) + h, 1)]
    return scores, Levels.of(h), [column_of(c) for c in confounders]


# ---- ranks and coding ------------------------------------------------------------------------------------------------


def test_midranks_are_scipys_in_every_level(rng):
    v, levels = np.round(rng.standard_normal(80), 1), Levels.of(rng.integers(4, size=80))
    for level in range(4):
        rows = levels.codes == level
        np.testing.assert_array_equal(midranks(v, levels)[rows], stats.rankdata(v[rows]))
        n = rows.sum()
        np.testing.assert_allclose(normalised_ranks(v, levels)[rows], stats.rankdata(v[rows]) / (n + 1) - 0.5)


# ---- the statistic ---------------------------------------------------------------------------------------------------


def plain_statistic(A, C, h):
    """Q = T' V^- T and its degrees of freedom, stratum by stratum."""
    T, V = np.zeros(A.shape[1] * C.shape[1]), 0
    for level in np.unique(h):
        a, c = A[h == level], C[h == level]
        a, c = a - a.mean(axis=0), c - c.mean(axis=0)
        T = T + np.ravel(a.T @ c)
        if len(a) > 1:
            V = V + np.kron(a.T @ a, c.T @ c) / (len(a) - 1)
    return T @ np.linalg.pinv(V, rcond=1e-9) @ T, np.linalg.matrix_rank(V, 1e-9)


@pytest.mark.parametrize("q", [1, 2])
def test_the_quadratic_form_is_the_plain_one(q, rng):
    scores, levels, columns = sample(rng)
    A = np.stack([normalised_ranks(scores * (1 - 2 * j) + j * rng.standard_normal(60), levels) for j in range(q)], 1)
    for column in columns:
        C = coded(column, levels).columns
        T, form = statistic(A, C, levels)
        Q, df = plain_statistic(A, C, levels.codes)
        assert form.df == df == q * C.shape[1]
        assert form.standardised(T)[0] == pytest.approx(-stats.chi2.logsf(Q, df), rel=1e-9)


def test_the_covariance_is_that_of_all_permutations(rng):
    """Two strata of 3 and 4 rows: 3! * 4! permutations."""
    levels = Levels.of([0, 0, 0, 1, 1, 1, 1])
    A, C = rng.standard_normal((7, 2)), rng.standard_normal((7, 2))
    T = [
        (A.T @ C[[*first, *second]]).ravel()
        for first in itertools.permutations(range(3))
        for second in itertools.permutations(range(3, 7))
    ]
    V = permutation_covariance(centred(A, levels), centred(C, levels), levels)
    np.testing.assert_allclose(V, np.cov(np.array(T).T, bias=True))


@pytest.mark.parametrize("df", [1, 2, 3, 10, 77, 500])
def test_the_tail_of_chi_squared_in_logarithms(df):
    Q = np.array([0.0, 0.1, df, 3.0 * df, df + 300.0])
    np.testing.assert_allclose(log_chi2_tail(Q, df), np.log(stats.chi2.sf(Q, df)), rtol=1e-9, atol=1e-12)
    far = log_chi2_tail(np.array([3000.0, 3000.001, 1e5]), df)
    assert np.isfinite(far).all()
    slope = (far[1] - far[0]) / 0.001  # minus the hazard rate, which is close to (1 - (df - 2) / Q) / 2
    assert slope == pytest.approx(-(1 - (df - 2) / 3000) / 2, rel=0.01)


# ---- the test --------------------------------------------------------------------------------------------------------


def plain_joint_test(A, C, h, key_list):
    """The same test with explicit permutations of rows, one loop for every step."""
    levels = Levels.of(h)
    permutations = shuffled(np.arange(len(h)), levels, key_list)

    def standardised(rows):
        forms = [plain_statistic(A, c[rows], h) for c in C]
        return np.array([-stats.chi2.logsf(Q, df) for Q, df in forms])

    observed = standardised(np.arange(len(h)))
    draws = np.array([standardised(column) for column in permutations.T])
    single = [(1 + sum(d >= o - 1e-9 for d in draws[:, j])) / (1 + len(draws)) for j, o in enumerate(observed)]
    adjusted, left, last = np.empty(len(C)), list(np.argsort(-observed)), 0.0
    while left:
        count = sum(draw[left].max() >= observed[left[0]] - 1e-9 for draw in draws)
        last = max(last, (1 + count) / (1 + len(draws)))
        adjusted[left.pop(0)] = last
    return observed, single, adjusted


def in_canonical_order(A, C, h):
    order = np.lexsort((*[c for one in C[::-1] for c in one.T[::-1]], *A.T[::-1], h))
    return A[order], [c[order] for c in C], h[order]


@pytest.mark.parametrize("q", [1, 2])
def test_the_joint_test_is_the_plain_one(q, rng):
    scores, levels, columns = sample(rng)
    A = np.stack([normalised_ranks(scores, levels), normalised_ranks(rng.standard_normal(60), levels)], axis=1)[:, :q]
    confounders = [coded(column, levels) for column in columns]
    test = joint_test(A, confounders, levels, keys(199))
    codes = [c.columns if c.codes is None else c.codes[:, None].astype(float) for c in confounders]
    A, codes, h = in_canonical_order(A, codes, levels.codes)
    C = [codes[0], np.eye(3)[codes[1][:, 0].astype(int)][:, 1:], codes[2]]
    observed, single, adjusted = plain_joint_test(A, C, h, keys(199))
    np.testing.assert_allclose(test.statistic, observed, rtol=1e-9)
    np.testing.assert_allclose(test.single_p, single)
    np.testing.assert_allclose(test.p, adjusted)
    assert test.method == "permutation"


def test_one_sided_statistics_are_signed(rng):
    scores, levels, columns = sample(rng)
    A, C = normalised_ranks(scores, levels)[:, None], [coded(columns[j], levels) for j in (0, 2)]
    both = joint_test(A, C, levels, keys(99))
    test = joint_test(A, C, levels, keys(99), directions=np.array([1, -1]))
    np.testing.assert_allclose(test.statistic, both.z * [1, -1])
    np.testing.assert_allclose(test.z, both.z)
    away = joint_test(A, C[:1], levels, keys(99), directions=np.array([0]))
    assert (away.p[0], away.statistic[0]) == (1, 0)


def test_a_strong_confounder_does_not_hide_a_weaker_one(rng):
    """At its step, the second confounder is compared with itself only: its adjusted p-value is its own."""
    n, one = 200, Levels.single(200)
    c1, c2 = rng.integers(2, size=(2, n)).astype(float)
    A = normalised_ranks(5 * c1 + 0.3 * c2 + rng.standard_normal(n), one)[:, None]
    test = joint_test(A, [Coded(c1[:, None]), Coded(c2[:, None])], one, keys(999))
    assert test.p[0] == 0.001
    assert test.p[1] == test.single_p[1]
    assert test.leading == 0


# ---- exactness -------------------------------------------------------------------------------------------------------

TINY_LEVELS = Levels.of([0, 0, 0, 0, 1, 1, 1])
TINY_SCORES = np.array([0.3, 1.0, 1.2, 0.5, 1.4, 0.2, 0.9])
TINY_C = np.array([0, 0, 1, 1, 0, 1, 1.0])


def arrangements():
    """All 4! * 3! permutations of the rows within strata."""
    for first in itertools.permutations(range(4)):
        for second in itertools.permutations(range(4, 7)):
            yield np.array([*first, *second])


def tiny_statistics(c):
    A = normalised_ranks(TINY_SCORES, TINY_LEVELS)
    return abs(A @ (c - TINY_LEVELS.fitted(c)))


@pytest.mark.statistical
def test_permutations_have_the_support_and_shares_of_all_of_them(monkeypatch):
    """The standardised statistics that are compared: each value of the enumeration as often as it should come."""
    seen = {}

    def spy(observed, draws):
        seen["draws"] = draws[:, 0]
        return np.ones(len(observed))

    monkeypatch.setattr(rank_test, "step_down_ps", spy)
    A, b = normalised_ranks(TINY_SCORES, TINY_LEVELS)[:, None], 20_000
    joint_test(A, [Coded(TINY_C[:, None])], TINY_LEVELS, keys(b))
    T, form = statistic(A, TINY_C[:, None], TINY_LEVELS)
    sd = tiny_statistics(TINY_C) / abs(form.z(T)[0])
    z = [tiny_statistics(TINY_C[rows]) / sd for rows in arrangements()]
    values, counts = np.unique(np.round(-np.log(2 * stats.norm.sf(z)), 6), return_counts=True)
    drawn, times = np.unique(np.round(seen["draws"], 6), return_counts=True)
    np.testing.assert_allclose(drawn, values, atol=2e-6)
    assert stats.chisquare(times, counts / counts.sum() * b).pvalue > 1e-4


# ---- what does not matter --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_the_unit_of_statistics_does_not_matter_for_ties(unit):
    draws = unit * np.array([[1.0, 3.0], [2.0, 1.0], [3.0, 1.0]])
    assert permutation_ps(unit * np.array([2.0, 2.0]), draws).tolist() == [3 / 4, 2 / 4]


def test_the_order_of_rows_does_not_matter_at_all(rng):
    scores, levels, columns = sample(rng)
    order = rng.permutation(60)
    there = [column.take(order) for column in columns]
    turned = Levels.of(levels.codes[order])
    one, other = (
        joint_test(normalised_ranks(s, h)[:, None], [coded(c, h) for c in cs], h, keys(99))
        for s, h, cs in ((scores, levels, columns), (scores[order], turned, there))
    )
    np.testing.assert_array_equal(one.p, other.p)
    np.testing.assert_allclose(one.statistic, other.statistic, rtol=1e-12)


def test_rounding_does_not_decide_between_ties():
    """Scores and confounder in tenths: many permutations give the observed statistic, to rounding."""
    levels = Levels.of(np.repeat([0, 1, 2], 5))
    c = np.tile([0.1, 0.3, 0.1, 0.3, 0.3], 3)[:, None]
    A = normalised_ranks(np.tile([1.0, 1.0, 2.0, 2.0, 3.0], 3), levels)[:, None]
    p = [joint_test(A * scale, [Coded(c / scale)], levels, keys(999)).p[0] for scale in (1, 1 / 3, 0.7, 1e5, 1e-7)]
    assert len(set(p)) == 1


# ---- nothing to see --------------------------------------------------------------------------------------------------


def test_what_cannot_change_has_p_one(rng):
    levels = Levels.of(np.repeat([0, 1], 20))
    constant, free = Coded(levels.codes[:, None].astype(float)), Coded(rng.integers(2, size=(40, 1)).astype(float))
    A = normalised_ranks(rng.standard_normal(40), levels)[:, None]
    test = joint_test(A, [constant, free], levels, keys(99))
    assert (test.statistic[0], test.p[0], test.single_p[0], test.df[0]) == (0, 1, 1, 0)
    assert test.p[1] == joint_test(A, [free], levels, keys(99)).p[0]
    flat = joint_test(0.1 * np.ones((40, 1)), [free], levels, keys(99))
    assert (flat.statistic[0], flat.p[0]) == (0, 1)


# ---- the normal approximation ----------------------------------------------------------------------------------------


def test_very_many_rows_use_a_normal_approximation(rng, monkeypatch):
    n = 12_000
    levels, c = Levels.of(rng.integers(2, size=n)), rng.integers(3, size=n)
    columns = [column_of(c), column_of(rng.standard_normal(n) + c)]
    A = normalised_ranks(rng.standard_normal(n) + 0.02 * c, levels)[:, None]
    confounders = [coded(column, levels) for column in columns]
    exact = joint_test(A, confounders, levels, keys(1999))
    monkeypatch.setattr(rank_test, "_MOST_PRODUCTS", 1e6)
    normal = joint_test(A, confounders, levels, keys(1999))
    assert (exact.method, normal.method) == ("permutation", "normal approximation")
    np.testing.assert_allclose(normal.statistic, exact.statistic)
    for one, other in ((normal.p, exact.p), (normal.single_p, exact.single_p)):
        assert np.all(np.abs(one - other) <= 5 * np.sqrt(2 * other * (1 - other) / 2000) + 1e-3)
    again = joint_test(A, confounders, levels, keys(1999))
    np.testing.assert_array_equal(normal.p, again.p)


def test_rare_levels_are_permuted_however_many_rows_there_are(rng, monkeypatch):
    monkeypatch.setattr(rank_test, "_MOST_PRODUCTS", 1e6)
    n = 12_000
    A = normalised_ranks(rng.standard_normal(n), Levels.single(n))[:, None]
    rare = (np.arange(n) < 100).astype(float)[:, None]
    assert joint_test(A, [Coded(rare)], Levels.single(n), keys(99)).method == "permutation"
