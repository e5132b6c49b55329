import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from permconf.adjustments.weighting import inverse_probability_weights
from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.permute.response_model import Design, _newton, fit_classes
from permconf.reweight.weights import (
    FOLDS,
    CellWeights,
    FixedWeights,
    ModelWeights,
    density_ratios,
    effective_size,
    folds,
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


def single(n=ROWS):
    return Levels.of(np.arange(n))


def margins(y, c):
    return CellWeights.of_margins(Response.of(y), Confounders.of(c))


def weighting_of(y, c, rng, population="independent"):
    return row_weights(Response.of(y), Confounders.of(c), single(len(y)), population, rng)


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


def test_a_population_is_met_cell_by_cell(y, sex, rng):
    shares = {(0, 0): "1/2", (0, 1): 0.1, (1, 0): 0.4, (1, 1): 0}
    w = weighting_of(y, sex, rng, shares).weights(ONCE)[:, 0]
    for (a, b), share in shares.items():
        assert w[(y == a) & (sex == b)].sum() / ROWS == pytest.approx(0.5 if share == "1/2" else share)


def test_a_sample_without_a_cell_has_no_weights(y, sex):
    counts = np.column_stack([np.ones(ROWS), (y != 1) | (sex != 0)]).astype(float)
    weights = margins(y, sex).weights(counts)
    assert np.isfinite(weights[:, 0]).all()
    assert np.isnan(weights[:, 1]).all()


def test_an_empty_cell_is_named(rng):
    y, c = ["control", "control", "case", "case"], ["a", "b", "a", "a"]
    shares = {("control", "a"): 0.5, ("control", "b"): 0, ("case", "a"): 0, ("case", "b"): 0.5}
    for population in ("independent", shares):
        with pytest.raises(ValueError, match=r"cell \(y = 'case', c = 'b'\) has no rows"):
            weighting_of(y, c, rng, population)


def test_cells_with_few_rows_are_noted(y):
    rare = (np.arange(ROWS) % 50 == 0).astype(int)
    notes = margins(y, rare).notes
    for label in (0, 1):
        rows = np.sum((y == label) & (rare == 1))
        assert f"the weights of cell (y = {label}, c = 1) rest on {rows} rows" in notes
    assert len(notes) == 2


def test_several_sparse_confounders_are_modelled(y, rng):
    many = rng.integers(0, 2, (ROWS, 6))
    many[y == 0, :5] = np.minimum(many[y == 0, :5], many[y == 0, 1:])  # combinations are missing
    weighting = weighting_of(y, many, rng)
    assert isinstance(weighting, ModelWeights)
    assert weighting.weights(ONCE).sum() == pytest.approx(ROWS)


@pytest.mark.parametrize("classes", [2, 3])
def test_model_weights_are_inverse_probabilities_of_cross_fitted_models(classes, rng):
    age = rng.standard_normal(ROWS)
    codes = np.digitize(age + rng.logistic(size=ROWS), [0, 1][: classes - 1])
    fold = folds(codes, single(), rng)
    weights = ModelWeights.of(codes, list(range(classes)), Confounders.of(age), fold).weights(ONCE)[:, 0]
    design, expected = Design.of(Confounders.of(age), classes=classes), np.empty(ROWS)
    for k in range(FOLDS):
        model = fit_classes(codes, design, classes=classes, weights=(fold != k).astype(float))
        expected[fold == k] = 1 / model.probabilities[np.arange(ROWS), codes][fold == k]
    for code in range(classes):
        expected[codes == code] *= np.sum(codes == code) / expected[codes == code].sum()
    np.testing.assert_allclose(weights, expected, rtol=1e-3)


def test_one_step_is_close_to_fitting_again(counts, rng):
    age = rng.standard_normal(ROWS)
    codes = (rng.random(ROWS) < expit(age)).astype(int)
    model = fit_classes(codes, Design.of(Confounders.of(age)), classes=2)
    stepped = expit(model.updated_linear(counts, np.ones(ROWS, bool))[:, 0])
    for k, n in enumerate(counts.T):
        coefficients, *_ = _newton(model.design.X, codes[:, None], n, model.precision, model.coefficients)
        again = expit(model.design.X @ coefficients)[:, 0]
        moved = np.abs(again - model.probabilities[:, 1]).mean()
        assert np.abs(again - stepped[:, k]).mean() < 0.3 * moved


def test_model_weights_make_classes_alike_in_the_confounder(rng):
    age = rng.standard_normal(4000)
    codes = (rng.random(4000) < expit(age)).astype(int)
    weighting = weighting_of(codes, age, rng)
    w = weighting.weights(np.ones((4000, 1)))[:, 0]
    assert abs(age[codes == 1].mean() - age[codes == 0].mean()) > 0.7
    for code in (0, 1):
        assert abs(np.average(age[codes == code], weights=w[codes == code]) - age.mean()) < 0.1


def test_numeric_response_and_categorical_confounder_change_places(sex, rng):
    y = sex + rng.standard_normal(ROWS)
    weighting = weighting_of(y, sex, rng)
    assert isinstance(weighting, ModelWeights)
    w = weighting.weights(ONCE)[:, 0]
    means = [np.average(y[sex == k], weights=w[sex == k]) for k in (0, 1)]
    assert abs(means[1] - means[0]) < 0.25
    same = weighting_of(y, np.zeros(ROWS), rng)
    np.testing.assert_array_equal(same.weights(ONCE), ONCE)


def test_density_ratios_are_those_of_the_normal_model(rng):
    age = rng.standard_normal(2000)
    y = 0.5 * age + rng.standard_normal(2000)
    ratios = density_ratios(Response.of(y), Confounders.of(age), folds(np.zeros(2000), single(2000), rng))
    expected = norm.pdf(y, 0, np.sqrt(1.25)) / norm.pdf(y, 0.5 * age, 1)
    assert np.median(np.abs(np.log(ratios / expected))) < 0.1


def test_density_ratios_of_very_many_rows_join_rows_with_neighbouring_means(rng, monkeypatch):
    age, fold = rng.standard_normal(2000), np.arange(2000) % FOLDS
    parts = Response.of(0.5 * age + rng.standard_normal(2000)), Confounders.of(age), fold
    of_all_rows = density_ratios(*parts)
    monkeypatch.setattr("permconf.reweight.weights.BLOCK", 7)
    np.testing.assert_array_equal(density_ratios(*parts), of_all_rows)
    monkeypatch.setattr("permconf.reweight.weights.POINTS", 1000)
    ratios = density_ratios(*parts)
    assert not np.array_equal(ratios, of_all_rows)
    assert np.max(np.abs(np.log(ratios / of_all_rows))) < 0.01  # a tenth of the error of the model, above


def test_large_weights_are_truncated_and_noted(rng):
    age = 3 * rng.standard_normal(ROWS)
    codes = (rng.random(ROWS) < expit(2 * age)).astype(int)
    weighting = weighting_of(codes, age, rng)
    assert any(note.endswith("were truncated") for note in weighting.notes)
    fixed = FixedWeights.truncated(np.concatenate([np.ones(99), [1e6]]))
    assert fixed.values.max() / fixed.values.min() == pytest.approx(largest_weight(100))
    assert fixed.values.sum() == pytest.approx(100)
    assert fixed.notes == ("the weights of 1 row were truncated",)
    assert effective_size(np.array([2.0, 2.0, 2.0, 0.0])) == pytest.approx(3)


def test_folds_are_even_in_the_classes_and_keep_groups_together(y, rng):
    fold = folds(y, single(), rng)
    for code in (0, 1):
        sizes = np.bincount(fold[y == code], minlength=FOLDS)
        assert np.ptp(sizes) <= 1
    groups = np.arange(ROWS) // 7
    together = folds(y, Levels.of(groups), rng)
    assert all(np.unique(together[groups == g]).size == 1 for g in np.unique(groups))


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
def test_bad_populations_are_named(numeric, c, population, message, y, rng):
    with pytest.raises(ValueError, match=message):
        weighting_of(y + np.linspace(0, 0.5, ROWS) if numeric else y, c, rng, population)
