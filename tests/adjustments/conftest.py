import numpy as np
import pandas as pd
import pytest

from permconf.data.sample import Sample


@pytest.fixture
def mixed():
    """Training and test rows with a numeric confounder that acts by its square, a categorical one, and two classes."""
    rng = np.random.default_rng(4)
    age, site = rng.normal(size=400), rng.integers(0, 3, 400)
    effect = age**2 - 1 + 0.5 * (site == 2)
    y = (rng.random(400) < 1 / (1 + np.exp(-effect))).astype(int)
    X = rng.normal(size=(400, 3)) + effect[:, None] + 0.5 * y[:, None]
    sample = Sample.of(X, y, pd.DataFrame({"site": site, "age": age}), treatment="smooth")
    return sample.take(slice(0, 250)), sample.take(slice(250, 400))


@pytest.fixture
def keys():
    return np.arange(5, dtype=np.uint64) * np.uint64(977) + np.uint64(5)
