"""Predictions of several models: ranks and permutations stay within the part that a model predicted."""

import numpy as np
import pytest

from permconf import prediction_test


@pytest.fixture
def rows(rng):
    y = rng.integers(0, 2, 200)
    c = (rng.random(200) < 0.3 + 0.4 * y).astype(int)
    part = np.arange(200) % 4
    return rng.normal(size=200) + y + 0.4 * c, y, c, part


def test_one_part_is_no_part(rows):
    scores, y, c, _ = rows
    assert prediction_test(scores, y, c, parts=np.zeros(200)).p == prediction_test(scores, y, c).p


def test_parts_are_strata(rows):
    """For classes, the p-value is that of permutations within every combination of part and class."""
    scores, y, c, part = rows
    cell = np.array([f"{k} {label}" for k, label in zip(part, y, strict=True)])
    one, other = prediction_test(scores, y, c, parts=part), prediction_test(scores, cell, c)
    assert one.p == other.p
    assert one.statistic == pytest.approx(other.statistic)
    assert one.sign == "inflates"  # the direction is that of the response, not of the combinations


def test_scales_of_the_models_do_not_matter(rows):
    scores, y, c, part = rows
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
    with pytest.raises(ValueError, match="at least 50 are needed"):
        prediction_test(scores[:40], y[:40], c[:40], parts=part[:40])
