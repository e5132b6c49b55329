"""The Appendix model: its moments, its errors, its parameters."""

import numpy as np
import pytest
from scipy import stats

from permconf.generators import make_generator
from permconf.permute.random_streams import Streams

PARAMETERS = {"n": 20_000, "p": 0.3, "beta_xc": -1.5, "beta_yc": 2.0, "beta_xy": 0.7}
NAMES = ("linear_confounding", "linear_confounding_exponential")


def drawn(name, dataset=0, **changed):
    return make_generator(name).sample(Streams(1, name, dataset).rng("data"), **PARAMETERS | changed)


@pytest.mark.statistical
@pytest.mark.parametrize("name", NAMES)
def test_coefficients_are_those_asked_for(name):
    X, y, c = drawn(name)
    n = PARAMETERS["n"]
    assert abs(c.mean() - 0.3) < 4 * np.sqrt(0.21 / n)
    design = np.column_stack([np.ones(n), c, y])
    for response, columns, expected in ((y, 2, [0, 2.0]), (X[:, 0], 3, [0, -1.5, 0.7])):
        used = design[:, :columns]
        estimate = np.linalg.lstsq(used, response)[0]
        error = np.sqrt(np.diag(np.linalg.inv(used.T @ used)))
        assert np.all(np.abs(estimate - expected) < 4 * error)


@pytest.mark.statistical
@pytest.mark.parametrize(("name", "law"), [(NAMES[0], stats.norm()), (NAMES[1], stats.expon(-1))])
def test_errors_of_the_response_have_their_law_and_those_of_the_feature_are_normal(name, law):
    p_values = {"response": [], "feature": []}
    for dataset in range(20):
        X, y, c = drawn(name, dataset, n=1000)
        p_values["response"].append(stats.kstest(y - 2.0 * c, law.cdf).pvalue)
        p_values["feature"].append(stats.kstest(X[:, 0] + 1.5 * c - 0.7 * y, stats.norm.cdf).pvalue)
    for values in p_values.values():
        assert stats.combine_pvalues(values).pvalue > 0.001


def test_an_impossible_probability_is_named():
    with pytest.raises(ValueError, match=r"p must be a probability, not 1\.2"):
        drawn(NAMES[0], p=1.2)
