import numpy as np

from permconf.generators import changed, make_generator, times

CELLS = {"p11": 0.4, "p10": 0.15, "p01": 0.1, "p00": 0.35}


def test_bernoulli_gaussian_has_the_moments_of_section_3_1(rng):
    n = 40_000
    X, y, c = make_generator("bernoulli_gaussian").sample(rng, n=n, **CELLS, beta=0.7, theta=-0.4, rho=0.6)
    assert X.shape == (n, 10)
    for cell, p in CELLS.items():
        rate = np.mean((y == int(cell[1])) & (c == int(cell[2])))
        assert abs(rate - p) < 4 * np.sqrt(p * (1 - p) / n)
    residuals = X - (0.7 * y - 0.4 * c)[:, None]
    assert np.abs(residuals.mean(axis=0)).max() < 4 / np.sqrt(n)
    expected = 0.6 ** np.abs(np.subtract.outer(range(10), range(10)))
    assert np.abs(np.cov(residuals.T) - expected).max() < 4.5 * np.sqrt(2 / n)  # var of a sample variance: 2 / n


def test_cell_counts_are_exact_and_in_random_order(rng):
    counts = {"n11": 45, "n10": 5, "n01": 7, "n00": 43}
    X, y, c = make_generator("cell_counts_gaussian").sample(rng, **counts, beta=0, theta=0, rho=0, features=3)
    assert X.shape == (100, 3)
    for cell, count in counts.items():
        assert np.sum((y == int(cell[1])) & (c == int(cell[2]))) == count
    assert 0 < np.sum(y[:50]) < 50


def test_another_world_changes_defaults_too():
    def sample(rng, *, n, strength=0.5):
        c = rng.integers(0, 2, n)
        return c[:, None], (rng.random(n) < 0.5 + strength * (c - 0.5)).astype(np.uint8), c

    unconfounded = changed(sample, times(0, "strength"))
    given, default = (unconfounded(np.random.default_rng(1), n=50, **more) for more in ({"strength": 0.9}, {}))
    assert np.array_equal(given[1], default[1])
    assert not np.array_equal(default[1], sample(np.random.default_rng(1), n=50)[1])
