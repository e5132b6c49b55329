from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from permconf.adjustments.weighting import inverse_probability_weights
from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.permute.response_model import Design, _newton, fit_classes
from permconf.reweight.weights import (
    CellWeights,
    ModelWeights,
    NumberWeights,
    class_weights,
    largest_weight,
    row_weights,
)

ROWS = 400
ONCE = np.ones((ROWS, 1))


@pytest.fixture
def sex(rng):
    return rng.integers(0, 2, ROWS)


@pytest.fixture
def y(sex, rng):
    return (rng.random(ROWS) < 0.25 + 0.5 * sex).astype(int)


@pytest.fixture
def counts(rng):
    return rng.multinomial(ROWS, np.full(ROWS, 1 / ROWS), size=6).T.astype(float)


def margins(y, c):
    return CellWeights.of_margins(Response.of(y), Confounders.of(c))


def weighting_of(y, c, population="independent"):
    return row_weights(Response.of(y), Confounders.of(c), population)


def plain_weights(y, c, counts):
    """p(y) p(c) / p(y, c) times the count, row by row."""
    n, weights = counts.sum(), []
    for i in range(len(y)):
        p_y, p_c = counts[y == y[i]].sum() / n, counts[c == c[i]].sum() / n
        weights.append(counts[i] * p_y * p_c / (counts[(y == y[i]) & (c == c[i])].sum() / n) if counts[i] else 0.0)
    return weights


def test_cells_as_row_by_row(y, sex, counts):
    weighting = margins(y, sex)
    expected = np.column_stack([plain_weights(y, sex, n) for n in counts.T])
    np.testing.assert_allclose(weighting.weights(counts), expected, rtol=1e-12)
    training = inverse_probability_weights(y[:, None], Confounders.of(sex))
    np.testing.assert_allclose(weighting.weights(ONCE), training, rtol=1e-12)


def test_a_population_is_met_cell_by_cell(y, sex):
    shares = {(0, 0): "1/2", (0, 1): 0.1, (1, 0): 0.4, (1, 1): 0}
    w = weighting_of(y, sex, shares).weights(ONCE)[:, 0]
    for (a, b), share in shares.items():
        assert w[(y == a) & (sex == b)].sum() / ROWS == pytest.approx(0.5 if share == "1/2" else share)


def test_a_sample_without_a_cell_has_no_weights(y, sex):
    counts = np.column_stack([np.ones(ROWS), (y != 1) | (sex != 0)]).astype(float)
    weights = margins(y, sex).weights(counts)
    assert np.isfinite(weights[:, 0]).all()
    assert np.isnan(weights[:, 1]).all()


def test_an_empty_cell_is_named():
    y, c = ["control", "control", "case", "case"], ["a", "b", "a", "a"]
    shares = {("control", "a"): 0.5, ("control", "b"): 0, ("case", "a"): 0, ("case", "b"): 0.5}
    for population in ("independent", shares):
        with pytest.raises(ValueError, match="no row has y = 'case', confounder = 'b'"):
            weighting_of(y, c, population)


def test_cells_with_few_rows_are_noted(y):
    rare = (np.arange(ROWS) % 50 == 0).astype(int)
    notes = margins(y, rare).notes
    for label in (0, 1):
        rows = np.sum((y == label) & (rare == 1))
        assert f"the reweighted value rests on {rows} rows with y = {label}, confounder = 1" in notes
    assert len(notes) == 2


def test_several_sparse_confounders_are_modelled(y, rng):
    many = rng.integers(0, 2, (ROWS, 6))
    many[y == 0, :5] = np.minimum(many[y == 0, :5], many[y == 0, 1:])  # combinations are missing
    weighting = weighting_of(y, many)
    assert isinstance(weighting, ModelWeights)
    assert weighting.weights(ONCE).sum() == pytest.approx(ROWS)


@pytest.mark.parametrize("classes", [2, 3])
def test_model_weights_are_inverse_probabilities_that_balance(classes, rng):
    age = rng.standard_normal(ROWS)
    codes = np.digitize(age + rng.logistic(size=ROWS), [0, 1][: classes - 1])
    weighting = ModelWeights.of(codes, list(range(classes)), Confounders.of(age))
    weights = weighting.weights(ONCE)[:, 0]
    design = replace(Design.of(Confounders.of(age), classes=classes), rougher=1.0)
    model = fit_classes(codes, design, classes=classes)
    own = 1 / model.probabilities[np.arange(ROWS), codes]
    for code in range(classes):
        rows = codes == code
        assert weights[rows].sum() == pytest.approx(rows.sum())
        assert np.corrcoef(np.log(weights[rows]), np.log(own[rows]))[0, 1] > 0.95
        np.testing.assert_allclose(weights[rows] @ weighting.features[rows] / rows.sum(), 0, atol=0.005)
    assert weighting.balance(weights) == pytest.approx(0.5, abs=0.01)
    assert abs(weighting.balance(np.ones(ROWS)) - 0.5) > 0.1
    overlap = weighting.overlap(ONCE)[:, 0]
    np.testing.assert_allclose(overlap, own / (1 / model.probabilities).sum(axis=1), rtol=1e-3)


def test_one_step_is_close_to_fitting_again(counts, rng):
    age = rng.standard_normal(ROWS)
    codes = (rng.random(ROWS) < expit(age)).astype(int)
    model = fit_classes(codes, Design.of(Confounders.of(age)), classes=2)
    stepped = expit(model.updated_linear(counts)[:, 0])
    for k, n in enumerate(counts.T):
        coefficients, *_ = _newton(model.design.X, codes[:, None], n, model.precision, model.coefficients)
        again = expit(model.design.X @ coefficients)[:, 0]
        moved = np.abs(again - model.probabilities[:, 1]).mean()
        assert np.abs(again - stepped[:, k]).mean() < 0.3 * moved


def test_numeric_response_and_categorical_confounder_change_places(sex, rng):
    y = sex + rng.standard_normal(ROWS)
    weighting = weighting_of(y, sex)
    assert isinstance(weighting, ModelWeights)
    w = weighting.weights(ONCE)[:, 0]
    means = [np.average(y[sex == k], weights=w[sex == k]) for k in (0, 1)]
    assert abs(means[1] - means[0]) < 0.25
    same = weighting_of(y, np.zeros(ROWS))
    np.testing.assert_array_equal(same.weights(ONCE), ONCE)


@pytest.mark.parametrize("skewed", [False, True])
def test_numbers_are_left_without_association(skewed, rng):
    age = rng.standard_normal(2000)
    noise = rng.exponential(size=2000) - 1 if skewed else rng.standard_normal(2000)
    y = 0.5 * age + noise
    weighting = weighting_of(y, age)
    assert isinstance(weighting, NumberWeights)
    w = weighting.weights(np.ones((2000, 1)))[:, 0]
    for a, b in ((y, age), (y, age**2), (y**2, age)):
        covariance = np.average(a * b, weights=w) - np.average(a, weights=w) * np.average(b, weights=w)
        assert abs(covariance) < 0.1 * np.sqrt(np.var(a) * np.var(b))
    assert np.average(y, weights=w) == pytest.approx(y.mean(), abs=0.02)
    assert weighting.balance(w) == pytest.approx(0.5, abs=0.005)
    assert 0.15 < weighting.explained < 0.25


def test_large_weights_are_truncated_and_noted(rng):
    age = np.sort(rng.standard_normal(ROWS))
    codes = (age > 0).astype(int)
    codes[-100] = 0  # in the midst of the others
    weighting = weighting_of(codes, age)
    assert any(note.endswith("were truncated") for note in weighting.notes)
    assert weighting.ratios(weighting.odds(np.ones((ROWS, 1)))).max() > largest_weight(ROWS)
    assert [float(largest_weight(n)) for n in (2, 400)] == pytest.approx([3, 20 * np.log(400) / 6])


def test_levels_need_two_rows_each_on_average(rng):
    y, letters = rng.standard_normal(20), np.array(list("abcdefghijk"))
    assert weighting_of(y, np.repeat(letters[:10], 2)).weights(np.ones((20, 1))).shape == (20, 1)
    with pytest.raises(ValueError, match="the confounders have 11 levels for 20 rows; give broader categories"):
        weighting_of(y, letters[np.minimum(np.arange(20), 10)])


def test_overlap_weights_of_cells_leave_out_levels_without_a_class():
    y, c = np.array([0, 0, 0, 1, 0, 1, 1]), np.array(["a", "a", "a", "a", "b", "b", "c"])
    weighting = class_weights(Response.of(y), Confounders.of(c))
    expected = [1 / 4, 1 / 4, 1 / 4, 3 / 4, 1 / 2, 1 / 2, 0]  # one minus the share of the own class
    np.testing.assert_allclose(weighting.overlap(np.ones((7, 1)))[:, 0], expected)
    assert weighting.lone == {"c": 1}


@pytest.mark.parametrize(
    ("numeric", "c", "population", "message"),
    [
        (False, np.arange(ROWS) % 2, "even", "population must be 'independent' or a mapping of cells"),
        (False, np.arange(ROWS) / 2, {(0, 0): 1.0}, "needs classes and categorical confounders"),
        (True, np.arange(ROWS) % 2, {(0, 0): 1.0}, "needs classes and categorical confounders"),
        (False, np.arange(ROWS) % 2, {(0, 0): 0.5, (1, 0): 0.5}, "no cell with c = 1, which is a level in the data"),
        (False, np.arange(ROWS) % 2, {(0, 0): 0.5, (1, 0): 0.4}, "sum to 0.9, not to 1"),
    ],
)
def test_bad_populations_are_named(numeric, c, population, message, y):
    with pytest.raises(ValueError, match=message):
        weighting_of(y + np.linspace(0, 0.5, ROWS) if numeric else y, c, population)
