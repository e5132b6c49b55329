"""The association of confounders and response: known statistics, parts, subjects, errors."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from permconf.inference.association_test import association_test


def chi2_of(test, j=0):
    """The quadratic form behind a standardised statistic."""
    return stats.chi2.isf(np.exp(-test.by_confounder["statistic"][j]), test.by_confounder["df"][j])


def test_two_categorical_variables_have_pearsons_statistic(rng):
    y, c = rng.choice(list("uvw"), 90), rng.integers(4, size=90)
    pearson = stats.chi2_contingency(pd.crosstab(y, c), correction=False).statistic
    assert chi2_of(association_test(y, c, permutations=9)) == pytest.approx(pearson * 89 / 90)


def test_two_binary_variables_have_fishers_p_value(rng):
    y, c = rng.permuted(np.repeat([0, 1], [13, 11])), np.repeat([0, 1], 12)
    exact = stats.fisher_exact(pd.crosstab(y, c)).pvalue  # margin 12/12: both tails have the same tables
    assert association_test(y, c).p == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 9999) + 1e-4)


def test_numbers_and_levels_have_the_statistic_of_kruskal_and_wallis_either_way(rng):
    levels, numbers = rng.integers(3, size=80), np.round(rng.standard_normal(80), 1)
    kruskal = stats.kruskal(*(numbers[levels == level] for level in range(3))).statistic
    for pair in ((levels, numbers), (numbers, levels)):
        assert chi2_of(association_test(*pair, permutations=9)) == pytest.approx(kruskal)


def test_two_numeric_variables_have_spearmans_correlation(rng):
    y, c = rng.standard_normal((2, 70))
    z = association_test(y, c, permutations=9).by_confounder["z"][0]
    assert z == pytest.approx(stats.spearmanr(y, c).statistic * np.sqrt(69))


def test_parts_of_different_composition_are_no_association():
    y, c = np.repeat([0, 1], 40), np.repeat([0, 1], 40)
    parts = np.repeat(["training", "test"], 40)
    assert association_test(y, c).p == 1e-4
    test = association_test(y, c, parts=parts)
    assert (test.p, test.statistic) == (1, 0)


def test_within_parts_the_statistic_is_mantel_and_haenszels(rng):
    y, c, part = rng.integers(2, size=(3, 120))
    T = V = 0.0
    for level in (0, 1):
        a, b = y[part == level], c[part == level]
        n = len(a)
        T += a @ b - a.sum() * b.sum() / n
        V += a.sum() * (n - a.sum()) * b.sum() * (n - b.sum()) / n**2 / (n - 1)
    z = association_test(y, c, parts=part, permutations=9).by_confounder["z"][0]
    assert z == pytest.approx(T / np.sqrt(V))


# ---- subjects --------------------------------------------------------------------------------------------------------

IDS, PAIRS = np.repeat(np.arange(30), 4), [1, 1, 2, 2]


def test_response_and_confounder_of_subjects_are_permuted_between_them(rng):
    y, c = rng.integers(2, size=(2, 30))
    rows, whole = association_test(y[IDS], c[IDS], groups=IDS), association_test(y, c)
    assert rows.units == "subjects"
    assert rows.statistic == pytest.approx(whole.statistic)
    assert rows.p == whole.p


def test_a_response_of_subjects_and_a_varying_confounder_are_compared_by_means(rng):
    y, c = rng.integers(2, size=30), np.round(rng.standard_normal(120), 3)
    test = association_test(y[IDS], c, groups=IDS, permutations=9)
    means = stats.rankdata(c).reshape(30, 4).mean(axis=1)
    expected = np.sum((means - means.mean()) * y) / np.sqrt(np.var(means, ddof=1) * np.sum((y - y.mean()) ** 2))
    assert (test.units, test.by_confounder["z"][0]) == ("subjects", pytest.approx(expected))
    both = association_test(y[IDS], np.column_stack([c, np.arange(30)[IDS] % 7]), groups=IDS, permutations=9)
    assert len(both.by_confounder) == 2


def test_what_varies_on_both_sides_is_permuted_within_subjects(rng):
    y = np.tile([0, 1, 0, 1], 30)
    c = y + IDS + rng.standard_normal(120)  # drowned by differences between subjects
    test = association_test(y, c, groups=IDS)
    assert (test.units, test.p) == ("rows", 1e-4)
    assert association_test(y, c).p > 0.05


@pytest.mark.parametrize(
    ("y", "c", "options", "message"),
    [
        ([0, 1, 1], [0, 1, 1], {"permutations": 0}, "permutations must be a whole number from 1"),
        ([0, 1, 1], [0, 1, 1], {"parts": ["a", "b"]}, "parts has 2 rows where 3 are needed"),
        ([0, 1, 1], [0, 1, 1], {"parts": ["a", "b", "c"]}, "nothing can be permuted: each part has a single row"),
        ([0, 1, 1], ["a", "b", "c"], {}, "a different label for each of 3 rows"),
        ([0, 0, 1, 1], [0, 0, 1, 1], {"groups": PAIRS, "parts": [1, 2, 1, 1]}, "the group of row 1 is in several"),
        ([0, 0, 1, 1], [0, 0, 1, 1], {"groups": PAIRS, "parts": PAIRS}, "each part has a single subject"),
        (
            [0, 1, 0, 1],
            np.array([[0, 1, 0, 1], [0, 0, 1, 1]]).T,
            {"groups": PAIRS},
            "'confounder 1' varies within groups, 'confounder 2' does not, and y varies",
        ),
    ],
)
def test_what_cannot_be_tested_is_named(y, c, options, message):
    with pytest.raises(ValueError, match=message):
        association_test(y, c, **options)
