import numpy as np
import pytest

from permconf import assess
from permconf.data.mixed_confounders import analysed_confounder


def test_levels_stay_what_they_are():
    c = np.array(["f", "m", "f"])
    assert analysed_confounder(c) is c or np.array_equal(analysed_confounder(c), c)


@pytest.mark.parametrize("bins", [1, 2, 3, 10])
def test_quantiles_give_groups_of_equal_size(bins):
    c = np.random.default_rng(0).standard_normal(600)
    levels, counts = np.unique(analysed_confounder(c, {"quantiles": bins}), return_counts=True)
    assert levels.tolist() == list(range(bins))
    assert counts.max() - counts.min() <= 1


def test_width_cuts_the_range_evenly():
    assert analysed_confounder([0.0, 0.9, 1.0, 1.9, 2.0, 4.0], {"width": 4}).tolist() == [0, 0, 1, 1, 2, 3]


def test_a_value_at_a_break_belongs_above_it():
    assert analysed_confounder([-5, 18, 17.9, 65, 99], {"breaks": [18, 65]}).tolist() == [0, 1, 0, 2, 2]


def test_several_confounders_are_pasted():
    c = np.array([[0, 0.1], [0, 0.9], [1, 0.1], [0, 0.2], [1, 0.8]])
    levels = analysed_confounder(c, ["levels", {"breaks": [0.5]}])
    assert levels.tolist() == [0, 1, 2, 0, 3]
    assert analysed_confounder(c[:, :1]).tolist() == [0, 0, 1, 0, 1]


@pytest.mark.parametrize(("c", "binning"), [(np.zeros(3), ["levels"] * 2), (np.zeros((3, 2)), ["levels"] * 3)])
def test_a_binning_for_each_confounder(c, binning):
    with pytest.raises(ValueError, match=f"gives {len(binning)} binnings"):
        analysed_confounder(c, binning)


def test_assess_pastes_bins_and_warns_of_rows_that_cannot_be_permuted():
    rng = np.random.default_rng(1)
    X, c = rng.standard_normal((80, 2)), np.c_[np.arange(80) % 2, rng.standard_normal(80)]
    y = np.arange(80) // 2 % 2
    halves = X[:40], y[:40], c[:40], X[40:], y[40:], c[40:]
    result = assess(*halves, confounder=["levels", {"quantiles": 2}], seed=1)
    levels = analysed_confounder(c, ["levels", {"quantiles": 2}])
    same = assess(X[:40], y[:40], levels[:40], X[40:], y[40:], levels[40:], seed=1)
    assert np.array_equal(result.restricted, same.restricted)
    assert result.fixed == 0
    alone = np.where(np.arange(80) == 79, 2, np.arange(80) % 2)
    with pytest.warns(UserWarning, match="1 of 80 rows are in levels"):
        lonely = assess(X[:40], y[:40], alone[:40], X[40:], y[40:], alone[40:], seed=1)
    assert lonely.fixed == 1


@pytest.mark.parametrize(
    ("binning", "message"),
    [
        ({"quantile": 3}, "unknown binning 'quantile', did you mean 'quantiles'?"),
        ({"intervals": 3}, "unknown binning 'intervals'"),
        ("level", "unknown binning 'level', did you mean 'levels'?"),
        ("quantiles", "a binning by quantiles is a mapping, such as {.quantiles.: 5}"),
        (5, "unknown binning 5"),
        ({"quantiles": 3, "width": 2}, "a binning is a mapping with one of quantiles, width, breaks"),
        ({}, "a binning is a mapping with one of quantiles, width, breaks"),
        ({"quantiles": 0}, "quantiles must be a whole number from 1, not 0"),
        ({"quantiles": 2.5}, "quantiles must be a whole number from 1, not 2.5"),
        ({"width": "4"}, "width must be a whole number from 1, not '4'"),
        ({"breaks": [3, 2]}, "breaks must be increasing numbers"),
        ({"breaks": [2, 2]}, "breaks must be increasing numbers"),
        ({"breaks": []}, "breaks must be increasing numbers"),
        ({"breaks": [0, np.nan]}, "breaks must be increasing numbers"),
        ({"breaks": 5}, "breaks must be increasing numbers"),
    ],
)
def test_binnings_that_make_no_sense_are_named(binning, message):
    with pytest.raises(ValueError, match=message.replace("?", r"\?")) as error:
        analysed_confounder([1.0, 2.0, 3.0, 4.0], binning)
    assert "\n" not in str(error.value)


def test_labels_and_nothing_cannot_be_binned():
    with pytest.raises(ValueError, match="cannot be binned because its values are not all numbers"):
        analysed_confounder(["a", "b"], {"quantiles": 2})
    with pytest.raises(ValueError, match="confounders are empty"):
        analysed_confounder([], {"quantiles": 2})
