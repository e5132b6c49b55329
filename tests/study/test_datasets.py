import numpy as np

from permconf.study.datasets import scenario_datasets, simulate

DATA = {"generator": "bernoulli_gaussian"}
DESIGN = {
    "dataset": np.array([4, 5, 6]),
    "n": np.array([30, 50, 20]),
    **{name: np.full(3, value) for name, value in (("p11", 0.4), ("p10", 0.1), ("p01", 0.1), ("p00", 0.4))},
    **{name: np.full(3, value) for name, value in (("beta", 1.0), ("theta", 0.5), ("rho", 0.3))},
}


def test_a_data_set_does_not_depend_on_its_neighbours():
    all_three = simulate(DATA, DESIGN, stream="s", seed=1)
    last = simulate(DATA, {k: v[2:] for k, v in DESIGN.items()}, stream="s", seed=1)
    np.testing.assert_array_equal(all_three[2].X, last[0].X)
    assert not np.array_equal(all_three[2].X, simulate(DATA, DESIGN, stream="s", seed=2)[2].X)


def test_a_data_set_that_cannot_be_made_carries_its_error():
    good, bad, other = simulate(DATA, DESIGN | {"n": np.array([30, -1, 20])}, stream="s", seed=1)
    assert (good.error, other.error) == ("", "")
    assert "ValueError" in bad.error
    assert len(bad.y) == 0
    assert len(other.y) == 20


def test_data_sets_of_any_blocks_are_redrawn(scenarios):
    data = {"stream": "fig04", **scenarios["fig04"]["data"]}
    design, datasets = scenario_datasets(data, [2, 998, 1001], seed=1)
    assert list(design["dataset"]) == [dataset.number for dataset in datasets] == [2, 998, 1001]
    alone, (last,) = scenario_datasets(data, [1001], seed=1)
    assert all(alone[name][0] == design[name][2] for name in design)
    np.testing.assert_array_equal(last.X, datasets[2].X)
