import numpy as np
import pytest

from permconf_study.study.datasets import read_datasets, shared, simulate, write_datasets

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


def test_a_data_set_that_cannot_be_made_carries_its_error(tmp_path):
    design = DESIGN | {"n": np.array([30, -1, 20])}
    write_datasets(simulate(DATA, design, stream="s", seed=1), tmp_path / "d.npz")
    good, bad, other = read_datasets(tmp_path / "d.npz")
    assert (good.error, other.error) == ("", "")
    assert "ValueError" in bad.error
    assert len(bad.y) == 0
    assert len(other.y) == 20


def test_data_sets_of_two_scenarios_are_stored_once(tmp_path):
    """The fingerprint in the path stands for all that they depend on."""
    first, second, other = (
        tmp_path / f"results/{name}/datasets/{fingerprint}/0-2.npz"
        for name, fingerprint in (("a", "f" * 16), ("b", "f" * 16), ("c", "e" * 16))
    )
    assert shared(first) is None
    write_datasets(simulate(DATA, DESIGN, stream="s", seed=1), first)
    assert shared(second) == first
    assert second.samefile(first)
    assert shared(other) is None
    second.unlink()
    first.write_bytes(first.read_bytes()[:300])
    assert shared(second) is None  # a damaged file is nobody else's
    assert not second.exists()


def test_a_damaged_file_is_named_and_stays(tmp_path):
    path = tmp_path / "d.npz"
    write_datasets(simulate(DATA, DESIGN, stream="s", seed=1), path)
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(ValueError, match=r"d\.npz is damaged; delete it and run"):
        next(read_datasets(path))
    assert path.exists()


def test_files_give_back_what_was_written_also_if_the_number_of_features_differs(tmp_path):
    made = simulate(DATA, DESIGN | {"features": np.array([3, 10, 4])}, stream="s", seed=1)
    write_datasets(made, tmp_path / "d.npz")
    for old, new in zip(made, read_datasets(tmp_path / "d.npz"), strict=True):
        assert old.number == new.number
        for name in "Xyc":
            np.testing.assert_array_equal(getattr(old, name), getattr(new, name))
