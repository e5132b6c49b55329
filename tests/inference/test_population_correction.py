"""Section 4 relative to a population of interest: the formulas, and R's numbers on R's data."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from permconf import assess
from permconf.inference.population_correction import relative_to_population, relative_to_standard

DATA = Path(__file__).parents[1] / "reference" / "population"
PERMUTATIONS = 800


def test_correction_and_test_follow_section_4(assessed_row, baseline_row):
    relative = relative_to_population(assessed_row(), baseline_row())
    assert relative.corrected == pytest.approx((0.9 - 0.7) * 0.04 / 0.02 + 0.6)
    assert (relative.baseline_mean, relative.baseline_sd, relative.b) == (0.6, 0.04, 100)
    assert relative.confounding_z == pytest.approx((0.7 - 0.6) / (0.04 / np.sqrt(100)))
    assert relative.confounding_p == pytest.approx(norm.sf(relative.confounding_z))


def test_the_standard_null_is_the_assessments_own_baseline(assessed_row):
    relative = relative_to_standard(assessed_row())
    assert relative.corrected == pytest.approx((0.9 - 0.7) * 0.05 / 0.02 + 0.5)
    assert relative.confounding_z == pytest.approx((0.7 - 0.5) / (0.05 / np.sqrt(100)))


def test_b_and_the_direction_may_be_given(assessed_row, baseline_row):
    assert relative_to_population(assessed_row(), baseline_row(), b=25).confounding_z == pytest.approx(0.1 / (0.04 / 5))
    worse = relative_to_population(assessed_row(metric="mine"), baseline_row(metric="mine"), direction=-1)
    assert worse.confounding_p > 0.99


@pytest.mark.parametrize(
    ("changed", "options", "message"),
    [
        ({"metric": "accuracy"}, {}, "the metrics differ: auc and accuracy"),
        ({"n_test": 90}, {}, "development test set has 100 rows, the population test set 90"),
        ({}, {"b": 0}, "b must be a whole number from 1, not 0"),
        ({}, {"direction": 2}, "direction must be 1 or -1, not 2"),
    ],
)
def test_what_cannot_be_compared_is_refused(assessed_row, baseline_row, changed, options, message):
    with pytest.raises(ValueError, match=message):
        relative_to_population(assessed_row(), baseline_row(**changed), **options)


# ---- R's Section 4 ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reference():
    return json.loads((DATA / "glm.json").read_text())


@pytest.fixture(scope="module")
def assessments():
    """Our assessments of R's development data with R's splits."""
    table = pd.read_csv(DATA / "development.csv.gz")
    X = table.filter(regex=r"^f\d+$").to_numpy()
    y, c = table["y"].to_numpy(), table["c"].to_numpy()
    rows = {(s, part): (table[s] == part).to_numpy() for s in ("dev", "base") for part in ("train", "test")}
    return {
        split: assess(
            *(v[rows[split, "train"]] for v in (X, y, c)),
            *(v[rows[split, "test"]] for v in (X, y, c)),
            permutations=PERMUTATIONS,
            seed=4,
        )
        for split in ("dev", "base")
    }


def test_observed_auc_and_analytic_sd_are_rs(assessments, reference):
    assert (assessments["dev"].n_train, assessments["dev"].n_test) == (8533, 1467)
    assert assessments["dev"].observed == pytest.approx(reference["auc_obs"], abs=1e-9)
    assert assessments["base"].observed == pytest.approx(reference["auc_obs_baseline_sets"], abs=1e-9)
    assert assessments["dev"].baseline_sd == pytest.approx(reference["sigma_analytic_dev"], abs=1e-9)


def within_error(ours, theirs, their_error, their_permutations):
    """Within 4 standard errors of the difference; ours follows from theirs by the numbers of permutations."""
    assert abs(ours - theirs) < 4 * their_error * np.sqrt(1 + their_permutations / PERMUTATIONS)


@pytest.mark.statistical
@pytest.mark.parametrize(("split", "null"), [("dev", "dev_null"), ("base", "baseline_null")])
def test_nulls_are_rs_within_monte_carlo_error(assessments, reference, split, null):
    for moment in ("mean", "sd"):
        ours, theirs = getattr(assessments[split], f"restricted_{moment}"), reference[null][moment]
        within_error(ours, theirs, reference[null][f"se_{moment}"], reference["B"])


@pytest.mark.statistical
def test_corrections_are_rs_within_monte_carlo_error(assessments, reference):
    for name, relative in (
        ("vs_standard_analytic", relative_to_standard(assessments["dev"])),
        ("vs_population", relative_to_population(assessments["dev"], assessments["base"])),
    ):
        theirs, error = reference[f"auc_corrected_{name}"], reference[f"se_auc_corrected_{name}"]
        within_error(relative.corrected, theirs, error, reference["B"])


@pytest.mark.statistical
def test_the_confounding_test_is_rs_within_monte_carlo_error(assessments, reference):
    relative = relative_to_population(assessments["dev"], assessments["base"])
    theirs = reference["z_confounding_vs_population_b_ntest"]
    error = theirs * reference["baseline_null"]["se_sd"] / reference["baseline_null"]["sd"]
    within_error(relative.confounding_z, theirs, error, reference["B"])
    assert relative.confounding_p == 0
