"""Data shared by the tests of association given a confounder."""

import numpy as np
import pytest

from permconf_study.paper.tables.theorems import simulated


@pytest.fixture(params=["T01", "T03", "T06", "T08", "T10"])
def r_association(request, association):
    """x, y, c and R's results, of each data set in turn."""
    return association(request.param)


@pytest.fixture
def agrees():
    """Whether a value is R's to ten decimals."""

    def check(value, expected):
        assert value == pytest.approx(expected, abs=1e-10, rel=0)

    return check


@pytest.fixture
def sample():
    """x, y, c with three levels, effects that are not linear."""
    return simulated(60, n_levels=3, effect="nonlinear", rng=np.random.default_rng(5))
