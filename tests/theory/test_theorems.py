"""Theorems 1 and 2: the numbers of R and of dcor, where they hold and where they do not."""

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

from permconf.theory.distances import centred, pairwise_distances, product
from permconf.theory.partial_association import expected_correlation, partial_correlation_from_null
from permconf.theory.theorems import ESTIMATORS, theorem1, theorem2
from permconf_study.paper.tables.theorems import simulated

# --- Agreement with R and with dcor ---


def test_theorem_1_is_that_of_r(r_association, agrees):
    x, y, c, r = r_association
    r = r["thm1"]
    numeric, dummy = theorem1(x, y, c, coding="numeric"), theorem1(x, y, c, coding="dummy")
    agrees(np.cov(x, y)[0, 1] - numeric.covariance.permutation, r["E_perm_exact"])
    agrees(numeric.covariance.conventional, r["pcov_numeric_C"])
    agrees(dummy.covariance.conventional, r["pcov_dummy_C"])
    agrees(numeric.correlation.conventional, r["pcor_numeric"])
    agrees(dummy.correlation.conventional, r["pcor_dummy"])
    agrees(numeric.covariance.permutation, r["rhs_exact"])
    agrees(numeric.covariance.discrepancy, r["discrepancy_numeric"])
    agrees(dummy.covariance.discrepancy, r["discrepancy_dummy"])
    agrees(numeric.correlation.permutation, r["pcor_thm1_exact"])
    agrees(numeric.correlation.discrepancy, r["pcor_discrepancy_numeric"])
    agrees(dummy.correlation.permutation, r["pcor_thm1_dummy_scale"])
    agrees(dummy.correlation.discrepancy, r["pcor_discrepancy_dummy"])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_theorem_2_is_that_of_r(r_association, agrees, estimator):
    x, y, c, r = r_association
    numeric = theorem2(x, y, c, coding="numeric", estimator=estimator)
    onehot = theorem2(x, y, c, coding="dummy", estimator=estimator)
    plain = product(*(centred(pairwise_distances(v), estimator) for v in (x, y)), estimator)
    agrees(plain, r["energy"]["dcovU" if estimator == "U" else "dcov2d_V"])
    r = r[estimator]
    agrees(plain - numeric.covariance.permutation, r["E_perm_exact"])
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


DCOR = """
import json, sys
import numpy as np, dcor
partial = dcor.partial_distance_covariance, dcor.partial_distance_correlation
found = []
for x, y, c in json.load(sys.stdin):
    x, y, c = map(np.array, (x, y, c))
    z = {"numeric": c.astype(float)[:, None], "dummy": np.eye(c.max() + 1)[c]}
    plain = {"U": dcor.u_distance_covariance_sqr(x, y), "V": dcor.distance_covariance_sqr(x, y)}
    found.append(plain | {coding: [float(f(x, y, v)) for f in partial] for coding, v in z.items()})
print(json.dumps(found))
"""


@pytest.mark.slow  # dcor compiles at import, for seconds, and in a process of its own
def test_distance_statistics_are_those_of_dcor(association, agrees):
    sets = [association(name) for name in ("T01", "T03", "T06", "T08", "T10")]
    given = json.dumps([[v.tolist() for v in (x, y, c)] for x, y, c, _ in sets])
    done = subprocess.run([sys.executable, "-c", DCOR], input=given, capture_output=True, text=True, check=True)
    for (x, y, c, r), dcor in zip(sets, json.loads(done.stdout), strict=True):
        for estimator in ESTIMATORS:
            agrees(product(*(centred(pairwise_distances(v), estimator) for v in (x, y)), estimator), dcor[estimator])
        for coding, suffix in (("numeric", ""), ("dummy", "_onehot")):
            ours = theorem2(x, y, c, coding=coding)
            for statistic, theirs, name in zip(
                (ours.covariance, ours.correlation), dcor[coding], ("pdcov", "pdcor"), strict=True
            ):
                agrees(statistic.conventional, theirs)
                agrees(statistic.conventional, r["energy"][f"{name}{suffix}"])


# --- Where they hold ---


@pytest.mark.parametrize("effect", ["linear", "nonlinear"])
@pytest.mark.parametrize(("n_levels", "coding"), [(2, "numeric"), (2, "dummy"), (3, "dummy"), (7, "dummy")])
def test_theorem_1_is_exact_for_two_levels_and_for_dummy_coding(n_levels, coding, effect):
    x, y, c = simulated(80, n_levels=n_levels, effect=effect, rng=np.random.default_rng(n_levels))
    result = theorem1(x, y, c, coding=coding)
    assert result.covariance.discrepancy == pytest.approx(0, abs=1e-13)
    assert result.correlation.discrepancy == pytest.approx(0, abs=1e-13)


def test_theorem_1_fails_for_a_numeric_code_with_means_that_are_not_linear_in_it(association):
    x, y, c, _ = association("T08")
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


def test_theorem_2_fails_for_three_levels(association):
    x, y, c, _ = association("T08")
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
