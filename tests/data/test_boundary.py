"""What a user gives that is wrong is refused in one sentence, and what is right in another form is accepted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from permconf import (
    algorithm2,
    assess,
    combined_test,
    conditional_test,
    metric_values,
    population_split,
    prediction_test,
    relative_to_population,
    restricted_shuffle,
    reweighted_metric,
    standard_shuffle,
)
from permconf.learners import make_learner
from permconf.metrics import make_metric
from permconf.options import whole_number

RNG = np.random.default_rng(8)
Y = RNG.permutation(np.arange(80) % 2)
C = np.where(RNG.random(80) < 0.3, 1 - Y, Y)
AGE = RNG.standard_normal(80) + Y
X = RNG.standard_normal((80, 3)) + Y[:, None]
SHARES = {(y, c): 0.25 for y in (0, 1) for c in (0, 1)}


def halves(X=X, y=Y, c=C):
    return X[:40], y[:40], c[:40], X[40:], y[40:], c[40:]


def assessed(*data, **options):
    return assess(*data, **{"permutations": 20, "seed": 1} | options)


def shuffled(test, *data, **options):
    return test(*data, shuffles=5, inner=2, seed=1, **options)


# ---- confounders (issue: every test has the same entry) --------------------------------------------------------------


@pytest.mark.parametrize("test", [algorithm2, conditional_test, combined_test])
def test_continuous_confounders_are_refused_or_binned_and_several_are_taken(test):
    """Every value as a level of its own gives p = 1."""
    with pytest.raises(ValueError, match="seems to be continuous; bin it"):
        shuffled(test, *halves(c=AGE))
    with pytest.raises(ValueError, match="needs levels of the confounder, which is smooth"):
        shuffled(test, *halves(c=AGE), confounder="smooth")
    table = pd.DataFrame({"age": AGE, "c": C})
    p = shuffled(test, *halves(c=table), confounder={"age": {"quantiles": 2}, "c": "levels"}).p
    assert p == shuffled(test, *halves(c=table.to_numpy()), confounder=[{"quantiles": 2}, "levels"]).p
    assert 0 < p <= 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, None])
@pytest.mark.parametrize("binning", ["levels", "smooth", {"quantiles": 4}, {"width": 3}, {"breaks": [0.5]}], ids=str)
def test_a_missing_confounder_is_an_error_however_it_is_analysed(bad, binning):
    """One NaN used to give NaN edges, and so a single bin."""
    age = AGE.astype(object)
    age[50] = bad
    message = "confounder has missing or infinite values in 1 of 80 rows, the first is row 10 of c_test"
    for call in (assessed, *(lambda *d, t=t, **o: shuffled(t, *d, **o) for t in (algorithm2, conditional_test))):
        with pytest.raises(ValueError, match=message):
            call(*halves(c=age), confounder=binning)
    with pytest.raises(ValueError, match="confounder has missing or infinite values in 1 of 80 rows"):
        reweighted_metric(Y, X[:, 0], age, confounder=binning)
    with pytest.raises(ValueError, match="confounder has missing or infinite values in 1 of 80 rows"):
        restricted_shuffle(Y, age, 2, rng=np.random.default_rng(1))


def test_missing_values_written_as_text_are_not_binned():
    """astype(str) makes "nan" of NaN, and float("nan") NaN of that."""
    text = np.where(np.arange(80) == 50, "nan", AGE.astype(str))
    with pytest.raises(ValueError, match="confounder has missing or infinite values, written as text"):
        assessed(*halves(c=text), confounder={"quantiles": 4})


def test_categories_may_be_tuples():
    tuples = pd.Series(pd.Categorical.from_codes(C, pd.Index([("a", 1), ("b", 2)], tupleize_cols=False)))
    assert repr(assessed(*halves(c=tuples))) == repr(assessed(*halves()))
    shuffles = [restricted_shuffle(Y, c, 3, rng=np.random.default_rng(1)) for c in (tuples, C)]
    np.testing.assert_array_equal(*shuffles)


def test_columns_of_one_name_are_taken_by_their_places():
    frame = pd.DataFrame(X[:40], columns=["a", "a", "b"])
    assert metric_values(frame, Y[:40], X[40:], Y[40:]) == metric_values(X[:40], Y[:40], X[40:], Y[40:])


def test_parts_of_one_row_are_blamed_on_the_parts():
    with pytest.raises(ValueError, match="nothing can be permuted: no two rows of a part have the same y; give fewer"):
        prediction_test(AGE, Y, C, parts=np.arange(80))
    with pytest.raises(ValueError, match="y is numeric and has 80 rows in 80 parts; at least 800 are needed"):
        prediction_test(AGE, AGE, C, parts=np.arange(80))


# ---- metric_values has the checks of assess --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X_test": X[40:, :1]}, "X_train has 3 features, X_test has 1"),
        ({"Y_train": np.ones(40, int)}, "column 0 of Y_train has one class only"),
        ({"Y_test": np.ones(40, int)}, "metric 'auc' is not defined for 1 of 1 responses"),
        ({"Y_test": np.zeros((40, 1, 1))}, "Y_test must be a matrix with a column for each response"),
        ({"Y_test": np.array([None, *Y[41:]], object)}, "Y_test has 1 missing values"),
        ({"X_train": csr_matrix(X[:40])}, r"X_train is sparse; give a dense matrix, for example X_train.toarray\(\)"),
    ],
)
def test_metric_values_checks_what_it_is_given(change, message):
    given = {"X_train": X[:40], "Y_train": Y[:40], "X_test": X[40:], "Y_test": Y[40:]} | change
    with pytest.raises(ValueError, match=message):
        metric_values(*given.values())


# ---- responses and features ------------------------------------------------------------------------------------------


def test_a_response_may_be_a_column():
    assert assessed(*halves(y=Y[:, None])).restricted_mean == assessed(*halves()).restricted_mean
    rng = np.random.default_rng
    np.testing.assert_array_equal(standard_shuffle(Y[:, None], 3, rng=rng(1)), standard_shuffle(Y, 3, rng=rng(1)))
    assert reweighted_metric(Y[:, None], X[:, 0], C, bootstrap=9).value == reweighted_metric(Y, X[:, 0], C).value


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (halves(y=np.arange(80) % 3), {"learner": "random_forest"}, None),
        (halves(y=np.c_[Y, Y]), {}, r"y_train must be one-dimensional, got shape \(40, 2\)"),
        (halves(y=np.array([1, "a", None, 2.5] * 20, object)), {}, "y_train has 10 missing values"),
        (halves(y=np.array([1, "a"] * 40, object)), {}, "the values of y_train are of different types"),
        (halves(y=Y.astype(str)), {"metric": "mse"}, None),
        (halves(y=np.array(list("ab") * 40)), {"metric": "mse"}, "the response must be made of real numbers"),
        (halves(y=Y + 1j), {"metric": "mse"}, "the response must be made of real numbers"),
        (halves(X=csr_matrix(X)), {}, "X_train is sparse"),
        (halves(X=X + 1j), {}, "X_train holds complex numbers"),
        (halves(X=np.where(X[45, 2] == X, np.nan, X)), {"learner": "random_forest"}, "X_test has .* column 2, row 5"),
        (halves(X=np.array(X, str)), {}, None),
        (halves(X=np.full(X.shape, "a")), {}, "X_train must be a matrix of numbers: could not convert string"),
    ],
)
def test_arrays_are_checked_in_one_sentence(data, options, message):
    if "metric" in options:
        options = options | {"learner": "ridge_regression"}
    if message is None:  # numbers as text are numbers, and the AUC of several classes is known
        assessed(*data, **options)
        return
    with pytest.raises(ValueError, match=message) as error:
        assessed(*data, **options)
    assert "\n" not in str(error.value)


# ---- options ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (10.7, "permutations must be a whole number from 2, not 10.7"),
        (20.0, "permutations must be a whole number from 2, not 20.0; write 20"),
        ("1e2", "permutations must be a whole number from 2, not '1e2'; write 100"),
        (True, "permutations must be a whole number from 2, not True"),
        (1, "permutations must be a whole number from 2, not 1"),
        ("test_sise", "permutations must be a whole number from 2, not 'test_sise'"),
        (None, "permutations must be a whole number from 2, not None"),
    ],
)
def test_numbers_of_permutations(value, message):
    with pytest.raises(ValueError, match=message):
        assessed(*halves(), permutations=value)


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int16, int])
def test_whole_numbers_of_numpy_are_whole_numbers(kind):
    assert whole_number(kind(20), "n", least=1) == 20
    assert assessed(*halves(), permutations=kind(20), seed=kind(1)).n_permutations == 20
    assert len(population_split(Y, C, rng=np.random.default_rng(1), shares=SHARES, size=kind(8))[0]) == 8
    assert reweighted_metric(Y, X[:, 0], C, bootstrap=kind(9), seed=kind(0)).value
    assert make_learner({"name": "random_forest", "trees": kind(3)}).trees == 3


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        ({"name": "random_forest", "trees": 2.5}, "trees of random_forest must be a whole number from 1, not 2.5"),
        ({"name": "random_forest", "trees": "1e2"}, "trees of random_forest must be .* not '1e2'; write 100"),
        ({"name": "random_forest", "node_size": 0}, "node_size of random_forest must be a whole number from 1"),
        ({"name": "nearest_neighbours", "k": 2.5}, "k of nearest_neighbours must be a whole number from 1, not 2.5"),
        ({"name": "logistic", "penalty": -1}, "penalty of logistic must be a number from 0, not -1"),
        ({"name": "ridge_logistic", "penalty": -1}, "penalty of ridge_logistic must be a number above 0, not -1"),
        ({"name": "ridge_regression", "penalty": "1e-2"}, "penalty of ridge_regression must be .* not '1e-2'"),
        ({"name": "naive_bayes", "smoothing": -1e-9}, "smoothing of naive_bayes must be a number from 0"),
        ({"name": "feature", "column": 3}, "feature: there is no column 3, the data have 3 features"),
    ],
)
def test_options_of_learners(learner, message):
    with pytest.raises(ValueError, match=message):
        assessed(*halves(), learner=learner)


@pytest.mark.parametrize("seed", [-1, 1.5, None, "1"])
def test_seeds_are_whole_numbers(seed):
    with pytest.raises(ValueError, match="seed must be a whole number from 0"):
        assessed(*halves(), seed=seed)


def test_a_seed_may_be_an_array_of_one_number():
    assert assessed(*halves(), seed=np.array(3)).restricted_mean == assessed(*halves(), seed=3).restricted_mean


@pytest.mark.parametrize(("rng", "kind"), [(1, "int"), (np.random, "module"), (None, "NoneType")])
def test_a_generator_is_needed(rng, kind):
    for function, options in ((restricted_shuffle, {"b": 3}), (population_split, {"shares": SHARES})):
        with pytest.raises(TypeError, match=rf"rng must be a random generator such as .* not {kind}"):
            function(Y, C, rng=rng, **options)


@pytest.mark.parametrize("interval", [None, "0.95", 95, 0, [0.9], np.nan])
def test_intervals_are_shares(interval):
    with pytest.raises(ValueError, match="interval must be between 0 and 1, not"):
        reweighted_metric(Y, AGE, C, interval=interval)


def test_results_with_arrays_can_be_compared():
    results = [reweighted_metric(Y, AGE, C, bootstrap=9) for _ in range(2)]
    results += [shuffled(conditional_test, *halves()) for _ in range(2)]
    assert [results.index(one) for one in results] == [0, 1, 2, 3]


# ---- populations -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        (pd.Series(SHARES), r"must be .*a mapping of cells \(y, c\) to shares"),
        (
            [{"y": 0, "c": 0}],
            r"must be a mapping of cells .* or a list with entries {'y': ..., 'c': ..., 'share': ...}",
        ),
        (["y", "c"], "must be a mapping of cells"),
        ({0: 0.5, 1: 0.5}, r"the keys of the population table must be cells \(y, c\), not 0"),
        ({"00": 0.5, "11": 0.5}, "must be cells .* not '00'"),
        ({(0, 0, 0): 1}, r"must be cells .* not \(0, 0, 0\)"),
    ],
)
def test_a_population_in_another_form_is_refused_in_one_sentence(shares, message):
    with pytest.raises(ValueError, match=message) as error:
        reweighted_metric(Y, AGE, C, population=shares)
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match=message):
        population_split(Y, C, rng=np.random.default_rng(1), shares=shares)


def test_a_level_of_another_type_is_named_with_its_type():
    """The hint was: unknown level '0', did you mean '0'?"""
    for shares, y, hint in (
        ({(str(y), c): s for (y, c), s in SHARES.items()}, Y, "the text '0'; in the data it is the int 0"),
        (SHARES, Y.astype(str), "the int 0; in the data it is the text '0'"),
    ):
        with pytest.raises(ValueError, match=f"unknown level of y in the population table: {hint}"):
            population_split(y, C, rng=np.random.default_rng(1), shares=shares)


def test_relative_to_population_knows_the_direction_of_a_metric():
    """With a larger restricted error than the population's, there is no confounding to be found."""
    y = X[:, 0] + AGE
    data = halves(y=y, c=C)
    options = {"learner": "linear_regression", "metric": "mse", "permutations": 30}
    one, other = assessed(*data, **options), assessed(*data, **options | {"seed": 2})
    known = relative_to_population(one, other)
    assert known == relative_to_population(one, other, direction=-1)
    assert known.confounding_z == pytest.approx(-relative_to_population(one, other, direction=1).confounding_z)
    nameless = replace(make_metric("mse"), name="metric")
    unnamed = [assessed(*data, **options | {"metric": nameless, "seed": seed}) for seed in (1, 2)]
    with pytest.raises(ValueError, match="direction is needed, 1 or -1, because 'metric' is not the name of a metric"):
        relative_to_population(*unnamed)
    assert relative_to_population(*unnamed, direction=-1).confounding_z == known.confounding_z
    with pytest.raises(ValueError, match="direction must be 1 or -1, not 0"):
        relative_to_population(one, other, direction=0)
