import numpy as np
import pytest

from permconf.data.mixed_confounders import MixedConfounders
from permconf.data.split import Split


@pytest.fixture
def mixed_split():
    """400 rows with a numeric confounder that acts by its square, a categorical one, and two classes."""
    rng = np.random.default_rng(4)
    age, site = rng.normal(size=400), rng.integers(0, 3, 400)
    effect = age**2 - 1 + 0.5 * (site == 2)
    y = (rng.random(400) < 1 / (1 + np.exp(-effect))).astype(np.uint8)
    X = rng.normal(size=(400, 3)) + effect[:, None] + 0.5 * y[:, None]
    c = MixedConfounders(site, (0, 1, 2), np.arange(3)[:, None], age[:, None], ("age",))
    return Split(X[:250], y[:250], c[:250], X[250:], y[250:], c[250:])


@pytest.fixture
def keys():
    return np.arange(5, dtype=np.uint64) * np.uint64(977) + np.uint64(5)
