"""The prediction test: plain versions, invariances, groups, signs, and inputs that are refused in one sentence."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from permconf import PredictionTest, prediction_test
from permconf.inference.tested_rows import piecewise_linear, without_trend


def classified(rng, n=120, *, beta=0.7, theta=0.5, link=0.4):
    """Scores that depend on a response and a binary confounder, which depend on each other."""
    c = rng.integers(2, size=n)
    y = (rng.random(n) < 0.5 + link * (c - 0.5)).astype(int)
    return beta * y + theta * c + rng.standard_normal(n), y, c


# ---- the statistic ---------------------------------------------------------------------------------------------------


def plain_z(scores, y, c):
    """van Elteren's statistic, one stratum after the other."""
    T = V = 0.0
    for level in np.unique(y):
        s, k = scores[y == level], c[y == level]
        ranks = stats.rankdata(s) / (len(s) + 1)
        T += np.sum((ranks - ranks.mean()) * k)
        V += np.var(ranks, ddof=1) * np.sum((k - k.mean()) ** 2)
    return T / np.sqrt(V)


def test_the_statistic_is_van_elterens(rng):
    scores, y, c = classified(rng)
    test = prediction_test(np.round(scores, 1), y, c, permutations=99)
    z = plain_z(np.round(scores, 1), y, c)
    assert test.by_confounder["z"][0] == pytest.approx(z)
    assert test.statistic == pytest.approx(-np.log(2 * stats.norm.sf(abs(z))))


def test_the_p_value_is_that_of_plain_permutations(rng):
    scores, y, c = classified(rng, n=60, theta=0.3)
    observed, B = abs(plain_z(scores, y, c)), 4000
    draws = []
    for _ in range(B):
        shuffled = c.copy()
        for level in (0, 1):
            shuffled[y == level] = rng.permutation(c[y == level])
        draws.append(abs(plain_z(scores, y, shuffled)))
    plain = np.mean(np.array(draws) >= observed - 1e-9)
    p = prediction_test(scores, y, c, shape="linear").p
    assert abs(p - plain) < 4 * np.sqrt(plain * (1 - plain) * (1 / B + 1 / 9999))


def test_a_numeric_confounder_is_ranked_within_the_response(rng):
    scores, y, c = classified(rng)
    age = np.round(50 + 10 * c + rng.standard_normal(120), 0)
    ranks = np.empty(120)
    for level in (0, 1):
        ranks[y == level] = stats.rankdata(age[y == level]) / (np.sum(y == level) + 1)
    table = prediction_test(scores, y, age, permutations=99).by_confounder
    assert (table["kind"][0], table["z"][0]) == ("numeric", pytest.approx(plain_z(scores, y, ranks)))


def test_results_have_what_the_interface_promises(rng):
    scores, y, c = classified(rng)
    data = pd.DataFrame({"sex": c, "age": rng.standard_normal(120), "site": rng.choice(list("abc"), 120)})
    test = prediction_test(scores, y, data)
    assert isinstance(test, PredictionTest)
    assert list(test.by_confounder.columns[:3]) == ["confounder", "statistic", "p"]
    assert test.by_confounder["confounder"].tolist() == ["sex", "age", "site"]
    assert test.by_confounder["kind"].tolist() == ["binary", "numeric", "categorical"]
    assert test.by_confounder["df"].tolist() == [1, 1, 2]
    assert test.by_confounder["permutable"].tolist() == [120] * 3
    assert test.p == test.by_confounder["p"].min()
    assert test.statistic == test.by_confounder["statistic"].max()
    assert np.all(test.by_confounder["p"] >= test.by_confounder["single_p"])
    assert test.p_error == pytest.approx(np.sqrt(test.p * (1 - test.p) / 9999))
    assert (test.permutations, test.method, test.units) == (9999, "permutation", "rows")
    assert test.levels == "2 classes"
    many = prediction_test(scores, y, rng.standard_normal((120, 30)), permutations=19)
    for text in map(repr, (test, many)):
        assert text.startswith("PredictionTest(p=0.")
        assert len(text) < 250
        assert "\n" not in text


# ---- what does not matter --------------------------------------------------------------------------------------------


def same(one, other, *, exactly=True):
    columns = ["statistic", "p", "sign"] if exactly else ["statistic", "sign"]
    pd.testing.assert_frame_equal(one.by_confounder[columns], other.by_confounder[columns], rtol=1e-9)
    if not exactly:
        assert abs(one.p - other.p) < 5 * np.sqrt(2 * one.p * (1 - one.p) / one.permutations) + 1e-3


@pytest.fixture
def mixed(rng):
    scores, y, c = classified(rng)
    return scores, y, pd.DataFrame({"sex": c, "age": rng.normal(50, 10, 120) + c, "site": rng.choice(list("abc"), 120)})


def test_the_order_of_rows_and_monotone_transformations_do_not_matter(mixed, rng):
    scores, y, data = mixed
    order, options = rng.permutation(120), {"permutations": 499}
    one = prediction_test(scores, y, data, **options)
    same(one, prediction_test(scores[order], y[order], data.iloc[order], **options))
    p = 1 / (1 + np.exp(-scores))
    same(one, prediction_test(p, y, data.assign(age=data["age"] ** 3), **options))
    same(one, prediction_test(np.column_stack([1 - p, p]), y, data, **options))  # a column for each class
    same(one, prediction_test(scores, y, data, groups=np.arange(120), **options))  # a row for each subject
    same(one, prediction_test(np.where(scores == scores.max(), np.inf, scores), y, data, **options))
    numeric = y + np.linspace(0, 1, 120)
    same(
        prediction_test(scores, numeric, data, **options),
        prediction_test(np.exp(scores), np.exp(numeric), data, **options),
    )


def test_labels_do_not_matter(mixed):
    scores, y, data = mixed
    one = prediction_test(scores, y, data)
    names = data.assign(sex=np.array(["w", "m"])[data["sex"]], site=data["site"].map({"a": 7, "b": 3, "c": 5}))
    same(one, prediction_test(scores, np.array(["control", "patient"])[y], names), exactly=False)
    same(one, prediction_test(-scores, np.array(["patient", "control"])[y], data), exactly=False)


# ---- several classes, numbers ----------------------------------------------------------------------------------------


def test_scores_with_a_column_per_class(rng):
    n = 300
    c, y = rng.integers(2, size=n), rng.choice(list("uvw"), n)
    S = rng.standard_normal((n, 3)) + 0.8 * (y[:, None] == np.array(list("uvw")))
    assert prediction_test(S, y, c).p > 0.05
    S[:, 2] += 0.8 * c
    test = prediction_test(S, y, c)
    assert test.p < 0.001
    assert (test.sign, test.levels) == ("unclear", "3 classes")
    assert test.by_confounder["df"].tolist() == [3]


def test_a_numeric_response_is_grouped(rng):
    n = 400
    c = rng.standard_normal(n)
    y = c + rng.standard_normal(n)
    test = prediction_test(y + rng.standard_normal(n), y, c)
    assert (test.levels, test.p > 0.05) == ("40 groups of a numeric response (approximate)", True)
    assert prediction_test(y + 0.5 * c + rng.standard_normal(n), y, c).p < 0.001
    few = prediction_test(y, y, c, bins=4, permutations=9)
    assert few.levels == "4 groups of a numeric response (approximate)"
    assert (few.p, few.statistic) == (1, 0)  # perfect predictions carry no more of C than the response does


def test_the_trend_in_the_response_is_removed(rng):
    y = rng.standard_normal(400)
    S = np.column_stack([y**3, y + 0.1 * rng.standard_normal(400), np.ones(400)])
    residuals = without_trend(S, y, 20)
    assert np.all(residuals[:, [0, 2]] == 0)
    assert 0.01 < residuals[:, 1].std() < 0.05
    assert abs(stats.spearmanr(residuals[:, 1], y).statistic) < 0.05


# ---- sign and alternatives -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("theta", "sign"), [(0.8, "inflates"), (-0.8, "masks"), (0.0, "unclear")])
@pytest.mark.parametrize("link", [0.6, -0.6])
@pytest.mark.parametrize("form", ["binary", "numeric", "levels", "regression"])
def test_the_sign_says_what_the_confounder_does(theta, sign, link, form):
    """With `link`, C is more or less frequent where y = 1; theta is relative to that direction."""
    rng = np.random.default_rng(12)
    n = 600
    c = rng.integers(3, size=n)
    latent = link * 2.5 * (c - 1) + rng.standard_normal(n)
    y = latent if form == "regression" else (latent > 0).astype(int)
    scores = y + theta * np.sign(link) * c + rng.standard_normal(n)
    shown = {"binary": c == 2, "numeric": c + 0.01 * rng.random(n), "levels": np.array(list("bca"))[c], "regression": c}
    test = prediction_test(scores, y, shown[form], permutations=499)
    assert test.sign == sign
    assert test.by_confounder["sign"].tolist() == [sign]
    assert (test.p < 0.01) == (sign != "unclear")


def test_one_sided_alternatives(rng):
    scores, y, c = classified(rng, n=300, theta=-0.5)
    two, inflates, masks = (
        prediction_test(scores, y, c, alternative=one) for one in ("two-sided", "inflates", "masks")
    )
    assert masks.p < 0.01 < 0.99 < inflates.p
    assert (masks.sign, inflates.sign) == ("masks", "masks")
    assert masks.statistic == -inflates.statistic == pytest.approx(-two.by_confounder["z"][0])
    assert masks.alternative == "masks"


def test_the_sign_of_the_joint_test_is_that_of_the_leading_confounder(rng):
    scores, y, c = classified(rng, n=400, theta=-1.0)
    other = (rng.random(400) < 0.3 + 0.4 * y).astype(int)
    test = prediction_test(scores + 0.6 * other, y, pd.DataFrame({"other": other, "c": c}))
    assert test.by_confounder["sign"].tolist() == ["inflates", "masks"]
    assert test.sign == "masks"
    assert test.p == test.by_confounder["p"][1]


# ---- subjects --------------------------------------------------------------------------------------------------------


def subjects(rng, count=40, visits=4, *, effect=0.0):
    """Subjects with a response and a confounder of their own, and visits with correlated scores."""
    y = rng.integers(2, size=count)
    c = (rng.random(count) < 0.3 + 0.4 * y).astype(int)
    ids = np.repeat(np.arange(count), visits)
    own = 1.5 * rng.standard_normal(count) + y + effect * c
    return own[ids] + 0.5 * rng.standard_normal(ids.size), y[ids], c[ids], ids


def test_constant_confounders_are_permuted_between_subjects(rng):
    scores, y, c, ids = subjects(rng)
    test = prediction_test(scores, y, c, groups=ids)
    assert test.units == "subjects"
    assert test.by_confounder["permutable"].tolist() == [40]
    ranks = np.empty(160)
    for level in (0, 1):
        ranks[y == level] = stats.rankdata(scores[y == level]) / (np.sum(y == level) + 1)
    means, first = ranks.reshape(40, 4).mean(axis=1), slice(None, None, 4)
    T = V = 0.0
    for level in (0, 1):
        a, k = means[y[first] == level], c[first][y[first] == level]
        T += np.sum((a - a.mean()) * k)
        V += np.var(a, ddof=1) * np.sum((k - k.mean()) ** 2)
    assert test.by_confounder["z"][0] == pytest.approx(T / np.sqrt(V))


def test_varying_confounders_are_permuted_within_subjects(rng):
    scores, y, _, ids = subjects(rng)
    c = np.tile([0, 1, 0, 1], 40)
    test = prediction_test(scores, y, c, groups=ids)
    assert (test.units, test.by_confounder["permutable"].tolist()) == ("rows", [160])
    read = prediction_test(scores + 0.5 * c, y, c, groups=ids)
    assert read.p < 0.001
    assert read.by_confounder["z"][0] > 2 * prediction_test(scores + 0.5 * c, y, c).by_confounder["z"][0]
    still = np.where(ids < 30, 0, c)
    assert prediction_test(scores, y, still, groups=ids, permutations=9).by_confounder["permutable"].tolist() == [40]


def test_subjects_are_exchanged_with_those_of_the_same_shares_of_the_response(rng):
    """Responses that vary within subjects: half and half (4 or 2 visits), or three of four."""
    visits = [[0, 1, 0, 1], [0, 1], [1, 1, 1, 0]] * 10
    y, ids = np.concatenate(visits), np.repeat(np.arange(30), [len(v) for v in visits])
    c = rng.integers(2, size=30)
    kinds = np.tile([0, 0, 1], 10)
    c[:2], c[2:9:3] = [0, 1], [0, 1, 0]
    test = prediction_test(rng.standard_normal(y.size), y, c[ids], groups=ids, permutations=99)
    assert test.by_confounder["permutable"].tolist() == [30]
    c[kinds == 1] = 0
    test = prediction_test(rng.standard_normal(y.size), y, c[ids], groups=ids, permutations=99)
    assert test.by_confounder["permutable"].tolist() == [20]


# ---- parts --------------------------------------------------------------------------------------------------------


@pytest.fixture
def in_parts(rng):
    y = rng.integers(0, 2, 200)
    c = (rng.random(200) < 0.3 + 0.4 * y).astype(int)
    part = np.arange(200) % 4
    return rng.normal(size=200) + y + 0.4 * c, y, c, part


def test_parts_are_strata(in_parts):
    """For classes, the p-value is that of permutations within every combination of part and class."""
    scores, y, c, part = in_parts
    cell = np.array([f"{k} {label}" for k, label in zip(part, y, strict=True)])
    assert prediction_test(scores, y, c, parts=np.zeros(200)).p == prediction_test(scores, y, c).p
    options = {"shape": "linear"}  # slopes may differ between classes, or between all their combinations
    one, other = prediction_test(scores, y, c, parts=part, **options), prediction_test(scores, cell, c, **options)
    assert one.p == other.p
    assert one.statistic == pytest.approx(other.statistic)
    assert one.sign == "inflates"  # the direction is that of the response, not of the combinations


def test_scales_of_the_models_do_not_matter(in_parts):
    scores, y, c, part = in_parts
    shifted = np.exp(scores) * (1 + part) + 100 * part
    assert prediction_test(shifted, y, c, parts=part).p == prediction_test(scores, y, c, parts=part).p
    assert prediction_test(shifted, y, c).p != prediction_test(scores, y, c).p


def test_numeric_response_in_parts(rng):
    """Scores that follow the response alone, on another scale in each part: no association with c is left."""
    y, part = rng.normal(size=400), np.arange(400) % 5
    c = y + rng.normal(size=400)
    scores = (y + rng.normal(size=400)) * (1 + part) + 10 * part
    p = [prediction_test(scores, y, c, parts=part, permutations=199, seed=seed).p for seed in range(3)]
    assert min(p) > 0.01
    assert prediction_test(scores + c * (1 + part), y, c, parts=part).p < 0.001


# ---- nothing to see --------------------------------------------------------------------------------------------------


def test_confounders_and_scores_that_do_not_vary_within_the_response_have_p_one(rng):
    scores, y, c = classified(rng)
    for test in (prediction_test(scores, y, y), prediction_test(np.zeros(120), y, c), prediction_test(1.0 * y, y, c)):
        assert (test.p, test.statistic, test.p_error, test.sign) == (1, 0, 0, "unclear")
    both = prediction_test(scores, y, pd.DataFrame({"y": y, "c": c}))
    assert both.by_confounder["p"].tolist() == [1, prediction_test(scores, y, c).p]
    assert both.by_confounder["permutable"].tolist() == [0, 120]


# ---- errors ----------------------------------------------------------------------------------------------------------

S, Y, C = np.arange(24.0), np.tile([0, 1, 1], 8), np.tile([0, 0, 1, 1], 6)
IDS = np.repeat(np.arange(6), 4)
BAD = {
    "many levels": (
        (np.arange(9e3), np.arange(9000) % 2, [f"site {k // 2}" for k in range(9000)]),
        {},
        "has 4,500 levels, too many",
    ),
    "scores missing": ((np.where(S == 3, np.nan, S), Y, C), {}, "scores have missing values in 1 of 24 rows, .* row 3"),
    "scores None": (([None, *S[1:]], Y, C), {}, "scores have missing values"),
    "scores labels": ((np.repeat(["a", "b"], 12), np.where(Y, "a", "b"), C), {}, "for predicted labels give a 0/1 col"),
    "scores text": ((["0.7 ", "3,0289"] * 12, Y, C), {}, "no number: '3,0289' in row 1; give numbers with a decimal"),
    "scores blank": ((["0.7", " "] * 12, Y, C), {}, "scores have missing values in 12 of 24 rows, the first is row 1"),
    "scores short": ((S[:20], Y, C), {}, "scores have 20 rows where 24 are needed"),
    "scores 3-d": ((S.reshape(24, 1, 1), Y, C), {}, r"scores must be a vector or an \(m, K\) matrix"),
    "scores turned": ((pd.Series(S)[::-1], pd.Series(Y), C), {}, "scores and y have the same row labels in a diff"),
    "labels of rows": ((S, [f"row {i}" for i in range(24)], C), {}, "nothing can be permuted: y has a different"),
    "identifiers": ((S, Y, [f"id{i}" for i in S]), {}, "a different label for each of 24 rows; leave it out"),
    "bins": ((S, Y, C), {"bins": 1}, "bins must be a whole number from 2, not 1"),
    "alternative": ((S, Y, C), {"alternative": "inflate"}, "unknown alternative 'inflate', did you mean 'inflates'"),
    "one-sided, classes": ((S, np.arange(24) % 3, C), {"alternative": "masks"}, "needs two classes or a numeric y"),
    "one-sided, levels": ((S, Y, np.arange(24) % 3), {"alternative": "masks"}, "needs binary or numeric confounders"),
    "one-sided, scores": ((np.c_[S, S, S], Y, C), {"alternative": "inflates"}, "and one column of scores"),
    "groups mixed": ((S, Y, np.c_[C, IDS % 2]), {"groups": IDS}, "'confounder 1' varies within groups and 'confoun"),
    "groups of pairs": (
        (S, np.tile([0, 1], 12), np.tile([0, 1, 1, 0], 6)),
        {"groups": np.repeat(np.arange(12), 2)},
        "no group has two rows with the same y",
    ),
    "groups unlike": (
        (S[:6], [0, 1, 0, 0, 0, 1], [0, 0, 1, 1, 1, 1]),
        {"groups": [0, 0, 1, 1, 1, 1]},
        "no two groups have the same shares of the levels of y",
    ),
    "parts of single rows": ((S, Y, C), {"parts": S}, "no two rows of a part have the same y; give fewer parts"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_tested_is_refused_in_one_sentence(case):
    data, options, message = BAD[case]
    with pytest.raises(ValueError, match=message) as error:
        prediction_test(*data, **{"permutations": 9} | options)
    text = str(error.value)
    assert "\n" not in text
    assert ". " not in text
    assert len(text) < 240


@pytest.mark.parametrize("segments", [1, 4, 9])
def test_piecewise_linear_fits_are_least_squares_on_tent_functions(segments):
    rng = np.random.default_rng(segments)
    place, R = rng.uniform(0, segments, 60), rng.normal(size=(60, 3))
    tents = np.maximum(0, 1 - np.abs(place[:, None] - np.arange(segments + 1)))
    expected = tents @ np.linalg.lstsq(tents, R, rcond=None)[0]
    np.testing.assert_allclose(piecewise_linear(R, place, segments), expected, atol=1e-8)
