import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import accuracy_score, mean_absolute_error, mean_squared_error, roc_auc_score

from permconf import overlap_metric, reweighted_metric, within_metric
from permconf.adjustments.weighting import inverse_probability_weights
from permconf.data.confounders import Confounders
from permconf.data.sample import Subjects
from permconf.metrics import Metric
from permconf.permute.random_streams import Streams
from permconf.reweight import bootstrap
from permconf.reweight.bootstrap import BootstrapRows, bootstrap_interval, drawn_units

ROWS = 300


@pytest.fixture
def data(rng):
    sex = rng.integers(0, 2, ROWS)
    y = (rng.random(ROWS) < 0.25 + 0.5 * sex).astype(int)
    return y, y + sex + rng.standard_normal(ROWS), sex


def test_the_value_is_that_of_scikit_learn_with_cell_weights(data):
    y, scores, sex = data
    weights = inverse_probability_weights(y[:, None], Confounders.of(sex))[:, 0]
    result = reweighted_metric(y, scores, sex)
    np.testing.assert_allclose(result.weights, weights)
    assert result.value == pytest.approx(roc_auc_score(y, scores, sample_weight=weights), abs=1e-12)
    assert result.observed == pytest.approx(roc_auc_score(y, scores), abs=1e-12)
    assert result.effective_size == pytest.approx(weights.sum() ** 2 / np.sum(weights**2))
    assert result.low < result.value < result.high < result.observed + 0.1
    accuracy = reweighted_metric(y, scores, sex, metric="accuracy")
    assert accuracy.value == pytest.approx(accuracy_score(y, scores > 0, sample_weight=weights), abs=1e-12)


def test_the_bootstrap_as_a_plain_loop(data):
    y, scores, sex = data
    result = reweighted_metric(y, scores, sex, bootstrap=40, seed=3)
    counts = drawn_units(ROWS, Streams(3, "reweighting").keys("bootstrap", 40))
    draws = []
    for column in counts.T:
        rows = np.repeat(np.arange(ROWS), column.astype(int))
        weights = inverse_probability_weights(y[rows, None], Confounders.of(sex[rows]))[:, 0]
        draws.append(roc_auc_score(y[rows], scores[rows], sample_weight=weights))
    rows = BootstrapRows.of(ROWS, None)
    limits = rows.limits(result.weights, y, sex)
    low, high = bootstrap_interval(result.value, np.array(draws), 0.95, "logit", rows=ROWS, **limits.of_interval)
    assert (result.low, result.high) == pytest.approx((low, high), abs=1e-9)
    assert (counts.sum(axis=0) == ROWS).all()
    assert abs(counts.var() - (1 - 1 / ROWS)) < 5 * np.sqrt(2 / counts.size)


def test_whole_groups_are_drawn(data):
    y, scores, sex = data
    subjects = np.arange(ROWS) // 3
    seen, keys = [], np.arange(20, dtype=np.uint64)
    BootstrapRows.of(ROWS, Subjects.of(subjects)).draws(lambda counts: seen.append(counts) or counts[0], keys)
    (counts,) = seen
    assert all(np.ptp(counts[subjects == subject], axis=0).max() == 0 for subject in range(100))
    repeated = [np.repeat(v, 3) for v in (y, scores, sex)]
    one, three = reweighted_metric(y, scores, sex), reweighted_metric(*repeated, groups=np.repeat(np.arange(ROWS), 3))
    assert three.value == pytest.approx(one.value)
    assert three.high - three.low == pytest.approx(one.high - one.low, rel=0.02)


def test_blocks_do_not_matter_and_the_seed_decides(data, monkeypatch):
    y, scores, sex = data
    age = sex + np.random.default_rng(0).standard_normal(ROWS)
    whole = [reweighted_metric(y, scores, c, seed=1) for c in (sex, age)]
    other = reweighted_metric(y, scores, sex, seed=2)
    assert other.value == whole[0].value
    assert other.low != whole[0].low
    monkeypatch.setattr(bootstrap, "_BLOCK_VALUES", 7 * ROWS)
    for c, before in zip((sex, age), whole, strict=True):
        again = reweighted_metric(y, scores, c, seed=1)
        assert again.value == before.value
        assert (again.low, again.high) == pytest.approx((before.low, before.high), abs=1e-12)


def test_several_classes_take_predicted_classes_or_columns(data, rng):
    labels, age = np.array(["a", "b", "c"]), rng.standard_normal(ROWS)
    y = labels[np.minimum(data[2] + rng.integers(0, 2, ROWS), 2)]
    columns = rng.standard_normal((ROWS, 3)) + 2 * (y[:, None] == labels)
    found = [reweighted_metric(y, s, age, metric="accuracy") for s in (columns, labels[columns.argmax(axis=1)])]
    assert (found[0].value, found[0].low) == (found[1].value, found[1].low)


@pytest.mark.parametrize("metric", ["mse", "mae", "ccc", "correlation"])
@pytest.mark.parametrize("kind", ["categorical", "numeric"])
def test_numbers_are_reweighted_too(metric, kind, data, rng):
    sex = data[2]
    c = sex if kind == "categorical" else rng.standard_normal(ROWS)
    y = 0.5 * c + rng.standard_normal(ROWS)
    predicted = y + c + rng.standard_normal(ROWS)
    result = reweighted_metric(y, predicted, c, metric=metric, bootstrap=200)
    assert result.low < result.value < result.high
    expected = {"mse": mean_squared_error, "mae": mean_absolute_error}.get(metric)
    if expected:
        assert result.value == pytest.approx(expected(y, predicted, sample_weight=result.weights))


@pytest.mark.parametrize(
    ("link", "value"), [("identity", 0.3), ("logit", 0.9), ("log", 2.0), ("fisher", -0.4), ("logit", 1.0)]
)
def test_intervals_keep_to_the_range_of_the_metric(link, value, rng):
    draws = value + 0.2 * rng.standard_normal(500)
    low, high = bootstrap_interval(value, draws, 0.95, link, freedom=50, rows=100)
    assert low <= value <= high
    if link == "identity":
        assert high - value == pytest.approx(2.009 * draws.std(ddof=1), rel=1e-3)
    if link == "logit":
        assert 0 < low < high <= 1
    assert np.isnan(bootstrap_interval(np.nan, draws, 0.95, link, freedom=50, rows=100)).all()


def test_lost_samples_and_thin_cells_are_noted(rng):
    sex = np.repeat([0, 1], [55, 5])
    y = np.concatenate([np.arange(55) % 2, [0, 0, 1, 1, 1]])
    notes = reweighted_metric(y, rng.standard_normal(60), sex).notes
    assert "the reweighted value rests on 2 rows with y = 0, confounder = 1" in notes
    assert any("bootstrap samples lack a cell and were left out" in note for note in notes)


def test_what_weights_do_not_carry_is_withheld_with_the_reason(rng):
    age = rng.standard_normal(ROWS)
    y = (rng.random(ROWS) < expit(12 * age)).astype(int)
    found = reweighted_metric(y, age + 0.3 * rng.standard_normal(ROWS), age, bootstrap=50)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.reason
    overlap = overlap_metric(y, age + 0.3 * rng.standard_normal(ROWS), age, bootstrap=50)
    assert overlap.low < 0.5 < overlap.high < overlap.observed
    site = np.repeat(["a", "b", "c"], 100)
    y = np.where(site == "c", 1, rng.integers(0, 2, ROWS))
    assert reweighted_metric(y, age, site).reason.startswith("no row has y = 0, confounder = 'c'")
    assert np.all(overlap_metric(y, age, site).weights[200:] == 0)


def test_within_levels_is_the_share_of_pairs_in_order(data):
    y, scores, sex = data
    found, total, ordered = within_metric(y, scores, sex), 0.0, 0.0
    for level in (0, 1):
        here = sex == level
        cases, controls = scores[here & (y == 1)], scores[here & (y == 0)]
        total += cases.size * controls.size / here.sum()
        ordered += np.sum(cases[:, None] > controls) / here.sum()
    assert found.value == pytest.approx(ordered / total)
    age = sex + np.linspace(0, 1, ROWS) * 1e-6  # numbers that are almost levels
    assert within_metric(y, scores, age).value == pytest.approx(found.value, abs=0.02)
    assert within_metric(y, np.exp(scores), age).value == within_metric(y, scores, age).value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": Metric(lambda Y, s: Y[0] - s[0], task="regression")}, "metric 'metric' has no weighted version"),
        ({"interval": 95}, "interval must be between 0 and 1, not 95"),
        ({"bootstrap": 1}, "bootstrap must be a whole number from 2, not 1"),
        ({"population": "even"}, "population must be 'independent' or a mapping"),
        ({"population": 5}, "population must be 'independent' or a mapping of cells .* not int"),
        ({"metric": "log_loss"}, "log_loss needs probabilities, but scores are between"),
    ],
)
def test_bad_input_is_named(change, message, data):
    y, scores, sex = data
    with pytest.raises(ValueError, match=message) as caught:
        reweighted_metric(**({"y": y, "scores": scores, "confounders": sex} | change))
    assert "\n" not in str(caught.value)


@pytest.mark.statistical
@pytest.mark.parametrize("kind", ["binary", pytest.param("numeric", marks=pytest.mark.slow)])
def test_the_value_is_right_where_confounder_and_response_are_independent(kind, rng):
    """Scores 0.5 y + c + noise; the truth comes from data in which c is independent of y, with the same margins."""

    def sample(n, link):
        c = rng.integers(0, 2, n) - 0.5 if kind == "binary" else 0.5 * rng.standard_normal(n)
        y = (rng.random(n) < expit(2 * link * c)).astype(int)
        return y, 0.5 * y + c + rng.standard_normal(n), c

    y, scores, _ = sample(200_000, 0)
    truth = roc_auc_score(y, scores)
    results = [(reweighted_metric(*sample(1000, 1), seed=k, bootstrap=300)) for k in range(40)]
    errors = np.array([result.value for result in results]) - truth
    assert np.mean([result.observed for result in results]) > truth + 0.05
    assert abs(errors.mean()) < 0.005 + 3 * errors.std() / np.sqrt(40)
    covered = sum(result.low <= truth <= result.high for result in results)
    assert covered >= 33  # 95 % of 40 are 38; 33 or fewer have probability .002
