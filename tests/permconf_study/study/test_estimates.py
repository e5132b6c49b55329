import numpy as np
import pytest

from permconf_study.study import estimates


def test_rates_and_means():
    assert estimates.rejection_rate([0.01, 0.05, 0.2, np.nan], 0.05) == pytest.approx((2 / 3, np.sqrt(2 / 27)))
    assert estimates.mean([1, 2, 3]) == pytest.approx((2, 1 / np.sqrt(3)))
    assert estimates.sd([1, 2, 3]) == pytest.approx((1, 0.5))
    assert estimates.median(range(100))[0] == 49.5


def test_errors_are_those_of_repeated_samples(rng):
    samples = rng.standard_normal((2000, 101))
    for estimate in (estimates.mean, estimates.sd, estimates.median):
        values, errors = np.transpose([estimate(sample) for sample in samples])
        # Relative error of the spread of N estimates: 1 / sqrt(2 N); the median's error is noisy itself.
        assert errors.mean() == pytest.approx(values.std(), rel=4 / np.sqrt(2 * len(samples)) + 0.02)


@pytest.mark.parametrize("estimate", [estimates.mean, estimates.median])
def test_little_data_have_no_error(estimate):
    assert np.isnan(estimate([])).all()
    value, error = estimate([0.25])
    assert value == 0.25
    assert np.isnan(error)
    assert np.isnan(estimates.sd([0.25])).all()
