"""Theorems 1 and 2: R's numbers, where they hold and where they do not, and the table that shows it."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from permconf.method import theorems
from permconf.method.distances import ESTIMATORS, centred, pairwise_distances
from permconf.method.partial_association import (
    expected_correlation,
    expected_covariance,
    expected_distance_covariance,
    partial_correlation_from_null,
)
from permconf.method.theorems import simulated, theorem1, theorem2, theorem_decay, theorem_table

DATA = Path(__file__).parents[1] / "data" / "association"
REFERENCE = json.loads((DATA / "theorems.json").read_text())
NAMES = sorted(REFERENCE)
TOLERANCE = 1e-10


def reference(name):
    table = pd.read_csv(DATA / f"{name}.csv")
    return (*(table[v].to_numpy() for v in "xyc"), REFERENCE[name])


def agrees(value, expected):
    assert value == pytest.approx(expected, abs=TOLERANCE, rel=0)


@pytest.fixture
def sample():
    return simulated(60, n_levels=3, effect="nonlinear", rng=np.random.default_rng(5))


# --- Agreement with R ---


@pytest.mark.parametrize("name", NAMES)
def test_theorem_1_is_that_of_r(name):
    x, y, c, r = reference(name)
    numeric, dummy = theorem1(x, y, c, coding="numeric"), theorem1(x, y, c, coding="dummy")
    agrees(expected_covariance(x, y, c), r["thm1"]["E_perm_exact"])
    agrees(numeric.covariance.permutation, r["thm1"]["rhs_exact"])
    agrees(numeric.covariance.discrepancy, r["thm1"]["discrepancy_numeric"])
    agrees(dummy.covariance.discrepancy, r["thm1"]["discrepancy_dummy"])
    agrees(numeric.correlation.permutation, r["thm1"]["pcor_thm1_exact"])
    agrees(numeric.correlation.discrepancy, r["thm1"]["pcor_discrepancy_numeric"])
    agrees(dummy.correlation.permutation, r["thm1"]["pcor_thm1_dummy_scale"])
    agrees(dummy.correlation.discrepancy, r["thm1"]["pcor_discrepancy_dummy"])


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("name", NAMES)
def test_theorem_2_is_that_of_r(name, estimator):
    x, y, c, r = reference(name)
    numeric = theorem2(x, y, c, coding="numeric", estimator=estimator)
    onehot = theorem2(x, y, c, coding="dummy", estimator=estimator)
    r = r[estimator]
    agrees(expected_distance_covariance(x, y, c, estimator=estimator), r["E_perm_exact"])
    agrees(numeric.covariance.conventional, r["pdcov_formula"])
    agrees(numeric.covariance.permutation, r["thm2_rhs_exact"])
    agrees(numeric.covariance.discrepancy, r["discrepancy_exact"])
    agrees(numeric.correlation.conventional, r["pdcor_formula"])
    agrees(numeric.correlation.permutation, r["pdcor_thm2_exact"])
    agrees(numeric.correlation.discrepancy, r["pdcor_discrepancy"])
    agrees(onehot.covariance.conventional, r["pdcov_formula_onehot"])
    agrees(onehot.covariance.discrepancy, r["discrepancy_onehot"])
    agrees(onehot.correlation.conventional, r["pdcor_formula_onehot"])
    agrees(onehot.correlation.discrepancy, r["pdcor_discrepancy_onehot"])


# --- Where they hold ---


@pytest.mark.parametrize("effect", ["linear", "nonlinear"])
@pytest.mark.parametrize(("n_levels", "coding"), [(2, "numeric"), (2, "dummy"), (3, "dummy"), (7, "dummy")])
def test_theorem_1_is_exact_for_two_levels_and_for_dummy_coding(n_levels, coding, effect):
    x, y, c = simulated(80, n_levels=n_levels, effect=effect, rng=np.random.default_rng(n_levels))
    result = theorem1(x, y, c, coding=coding)
    assert result.covariance.discrepancy == pytest.approx(0, abs=1e-13)
    assert result.correlation.discrepancy == pytest.approx(0, abs=1e-13)


def test_theorem_1_fails_for_a_numeric_code_with_means_that_are_not_linear_in_it():
    x, y, c, _ = reference("T08")
    correlation = theorem1(x, y, c, coding="numeric").correlation
    assert round(correlation.conventional, 3) == 0.493
    assert round(correlation.permutation, 3) == -0.015


@pytest.mark.parametrize("effect", ["linear", "nonlinear"])
def test_theorem_2_is_exact_for_two_levels_with_u_statistics_only(effect):
    x, y, c = simulated(80, n_levels=2, effect=effect, rng=np.random.default_rng(3))
    unbiased, classical = (theorem2(x, y, c, estimator=estimator) for estimator in ESTIMATORS)
    assert unbiased.covariance.discrepancy == pytest.approx(0, abs=1e-13)
    assert unbiased.correlation.discrepancy == pytest.approx(0, abs=1e-13)
    assert abs(classical.covariance.discrepancy) > 1e-3


def test_theorem_2_fails_for_three_levels():
    x, y, c, _ = reference("T08")
    covariance = theorem2(x, y, c, coding="numeric").covariance
    assert round(covariance.conventional, 3) == 0.220
    assert round(covariance.permutation, 3) == 0.005


def test_partialling_out_every_pair_of_levels_restores_theorem_2(sample):
    """The mean over permutations projects onto all U-centred matrices that are constant over pairs of levels."""
    x, y, c = sample
    n = x.size
    pairs = []
    for first, second in itertools.combinations(range(3), 2):
        one_of_each = np.outer(c == first, c == second)
        pairs.append(centred((one_of_each | one_of_each.T).astype(float), "U"))
    A, B = (centred(pairwise_distances(v), "U") for v in (x, y))
    basis = np.array(pairs).reshape(len(pairs), -1).T
    residual = A.ravel() - basis @ np.linalg.lstsq(basis, A.ravel())[0]
    expected = theorem2(x, y, c).covariance.permutation
    assert residual @ B.ravel() / (n * (n - 3)) == pytest.approx(expected, abs=1e-12)


def test_theorem_1_takes_any_value_for_the_expectation(sample):
    x, y, c = sample
    exact = partial_correlation_from_null(x, y, c, expected_correlation(x, y, c))
    assert exact == pytest.approx(theorem1(x, y, c).correlation.permutation, abs=1e-14)
    assert partial_correlation_from_null(x, y, c, np.corrcoef(x, y)[0, 1]) == pytest.approx(0, abs=1e-14)


# --- The table of figure S2 ---


def test_theorem_table_has_every_cell_and_the_verdicts_are_those_of_the_theory():
    table = theorem_table(rng=np.random.default_rng(8), sizes=(50, 100, 200), replicates=8)
    assert len(table) == (1 + 2) * 2 * 3 * 8 * 6
    np.testing.assert_allclose(table["discrepancy"], table["permutation"] - table["conventional"], atol=1e-15)
    decay = theorem_decay(table)
    cell = ["confounder", "coding", "theorem", "estimator"]
    exact = decay[decay["verdict"] == "exact"][cell].drop_duplicates()
    assert set(exact.itertuples(index=False, name=None)) == {
        ("binary", "numeric", 1, ""),
        ("binary", "numeric", 2, "U"),
        ("three levels", "dummy", 1, ""),
    }
    classical = decay.query("confounder == 'binary' and estimator == 'V'")
    assert (classical["verdict"] == "vanishing").all()
    assert classical["slope"].between(-1.2, -0.8).all()
    curved = decay.query("coding == 'numeric' and theorem == 1 and effect == 'nonlinear' and confounder != 'binary'")
    assert len(curved) == 2
    assert (curved["verdict"] == "not vanishing").all()
    assert (decay.query("coding == 'dummy' and estimator == 'U'")["verdict"] == "not vanishing").all()


def test_theorem_table_depends_on_the_generator_only_and_grows_without_changing():
    few = theorem_table(rng=np.random.default_rng(2), sizes=(20, 30), replicates=2)
    more = theorem_table(rng=np.random.default_rng(2), sizes=(20, 30, 40), replicates=3)
    kept = more[(more["n"] < 40) & (more["replicate"] < 2)].reset_index(drop=True)
    pd.testing.assert_frame_equal(few, kept)


def test_the_table_does_not_pay_for_importing_dcor():
    code = (
        "import sys, numpy; from permconf.method.theorems import theorem_table;"
        "theorem_table(rng=numpy.random.default_rng(1), sizes=(20,), replicates=1); assert 'dcor' not in sys.modules"
    )
    scripts = str(Path(theorems.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": scripts})
