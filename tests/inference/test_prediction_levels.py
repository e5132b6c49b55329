"""Type I error and power of the prediction and association tests; tolerances are binomial errors."""

import numpy as np
import pandas as pd
import pytest

from permconf import association_test, prediction_test
from permconf.generators.bernoulli_gaussian import gaussian_features
from permconf.learners import fitted_scores, make_learner

pytestmark = pytest.mark.statistical
PERMUTATIONS = 199
LEVELS = (0.05, 0.1, 0.25, 0.5)  # multiples of 1 / (1 + PERMUTATIONS), which a p-value can attain
FORMS = ("binary", "three levels", "continuous", "two at once")


def assert_nominal(p):
    for level in LEVELS:
        rate, error = np.mean(np.asarray(p) <= level + 1e-12), np.sqrt(level * (1 - level) / len(p))
        assert abs(rate - level) < 4 * error, f"rate {rate:.3f} at {level}, s.e. {error:.3f}"


def rejections(p, level=0.05):
    return np.mean(np.asarray(p) <= level)


def p_values(made, datasets, test=prediction_test, **options):
    return [test(*made(), permutations=PERMUTATIONS, seed=seed, **options).p for seed in range(datasets)]


def confounders(rng, y, form):
    """Confounders that depend on the response."""
    if form == "binary":
        return (rng.random(len(y)) < 0.25 + 0.5 * y).astype(int)
    if form == "three levels":
        return np.array(list("abc"))[confounders(rng, y, "binary") + confounders(rng, y, "binary")]
    if form == "continuous":
        return rng.standard_normal(len(y)) + y
    return pd.DataFrame({"sex": confounders(rng, y, "binary"), "age": confounders(rng, y, "continuous")})


def predicted(rng, form, *, m=100, beta=0.7, theta=0.0):
    """Logistic scores, responses and confounders of m test rows: links C-Y and Y-X, and C-X if theta is not zero."""
    y = rng.integers(2, size=100 + m)
    c = confounders(rng, y, form)
    acting = c["sex"].to_numpy() if form == "two at once" else c
    acting = pd.factorize(c, sort=True)[0] if form == "three levels" else acting
    X = gaussian_features(y, acting, beta, theta, 0.5, 3, rng)
    sets = X[:100], y[:100, None].astype(np.uint8), X[100:]
    return fitted_scores(make_learner("logistic"), *sets, np.zeros(1, np.uint64)).values[:, 0], y[100:], c[100:]


@pytest.mark.parametrize("form", [FORMS[0], *(pytest.param(form, marks=pytest.mark.slow) for form in FORMS[1:])])
def test_the_type_i_error_is_nominal_where_the_confounder_does_not_act_on_the_features(form):
    rng = np.random.default_rng(1)
    assert_nominal(p_values(lambda: predicted(rng, form), 600))


def test_the_type_i_error_is_nominal_for_small_data_sets_with_ties():
    """Ten rows in a class and scores with five values: p is at most nominal, and close to it where p is fine enough."""
    rng, y = np.random.default_rng(2), np.repeat([0, 1], [10, 15])
    p = p_values(lambda: (rng.integers(5, size=25) + y, y, np.r_[0, 1, rng.integers(2, size=23)]), 800)
    for level in LEVELS:
        assert rejections(p, level) < level + 4 * np.sqrt(level * (1 - level) / len(p))
    assert rejections(p, 0.5) > 0.4


def test_several_classes_hold_their_type_i_error():
    rng = np.random.default_rng(3)

    def made():
        y = rng.integers(3, size=90)
        S = np.exp(rng.standard_normal((90, 3)) + np.eye(3)[y])
        return S / S.sum(axis=1, keepdims=True), y, rng.standard_normal(90) + y

    assert_nominal(p_values(made, 400))


@pytest.mark.slow
@pytest.mark.parametrize("m", [100, 1000])
def test_a_numeric_response_has_nearly_its_type_i_error(m):
    """A correlation of 0.7 of C and Y and of 0.9 of Y and scores; without removing the trend 0.17 for m = 1,000."""
    rng = np.random.default_rng(4)

    def made():
        c = rng.standard_normal(m)
        y = 0.7 * c + np.sqrt(0.51) * rng.standard_normal(m)
        return 0.9 * y + np.sqrt(0.19) * rng.standard_normal(m), y, c

    assert_nominal(p_values(made, 400))


@pytest.mark.parametrize(("theta", "sign"), [(0.5, "inflates"), (-0.5, "masks")])
@pytest.mark.parametrize("form", FORMS)
def test_confounders_are_found_with_the_right_sign(form, theta, sign):
    rng = np.random.default_rng(5)
    data = (predicted(rng, form, m=500, beta=1.2, theta=theta) for _ in range(40))
    tests = [prediction_test(*one, permutations=PERMUTATIONS) for one in data]
    found = [test.sign for test in tests if test.p <= 0.05]
    assert len(found) >= 30
    assert np.mean([one == sign for one in found]) > 0.9


def test_only_the_confounder_that_is_read_is_named():
    """Sex acts on the features, age does not: age is named in at most 5 % of data sets."""
    rng = np.random.default_rng(6)
    data = (predicted(rng, "two at once", m=300, theta=1.0) for _ in range(200))
    sex, age = np.array([prediction_test(*one, permutations=99).by_confounder["p"] for one in data]).T
    assert rejections(sex) > 0.95
    assert rejections(age) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 200)


def visits(rng, *, varying_y=False, varying_c=False):
    """Correlated scores of 40 subjects with 5 visits, without any link of C to the scores beyond the response."""
    ids = np.repeat(np.arange(40), 5)
    y = np.tile([0, 0, 1, 1, 1], 40) if varying_y else rng.integers(2, size=40)[ids]
    c = rng.standard_normal(40)[ids] + (rng.standard_normal(200) if varying_c else 0)
    return 2 * rng.standard_normal(40)[ids] + y + 0.5 * rng.standard_normal(200), y, c


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "kind"),
    [
        (prediction_test, {}),
        (prediction_test, {"varying_y": True}),
        (prediction_test, {"varying_c": True}),
        (association_test, {}),
        (association_test, {"varying_c": True}),
    ],
)
def test_subjects_hold_the_type_i_error_where_free_rows_do_not(test, kind):
    rng, ids = np.random.default_rng(7), np.repeat(np.arange(40), 5)
    data = [visits(rng, **kind)[test is association_test :] for _ in range(300)]
    grouped, ignored = (p_values(iter(data).__next__, 300, test, groups=groups) for groups in (ids, None))
    assert_nominal(grouped)
    assert rejections(ignored) > 0.1


def test_the_association_test_holds_its_type_i_error_in_parts_that_differ():
    """Training and test set differ in their shares of y and c; within them, y and c are independent."""
    rng, parts = np.random.default_rng(10), np.repeat(["training", "test"], 60)
    is_test = parts == "test"

    def made():
        return (rng.random(120) < np.where(is_test, 0.7, 0.3)).astype(int), rng.standard_normal(120) + is_test

    assert_nominal(p_values(made, 400, association_test, parts=parts))
