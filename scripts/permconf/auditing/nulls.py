"""What the permutation nulls of a metric say: the response test, the paper's assessment, and Monte Carlo errors."""

import numpy as np

from permconf.engine.contracts import Moments
from permconf.inference.assess import (
    ROUNDING,
    Assessment,
    confounding_test,
    corrected_metric,
    moments,
    permutation_p,
    quantile_corrected_metric,
)


def is_constant(draws):
    """Whether draws are equal up to rounding; False if none is defined."""
    defined = draws[~np.isnan(draws)]
    return bool(defined.size) and np.ptp(defined) <= ROUNDING * np.max(np.abs(defined))


def p_error(p, b):
    """Monte Carlo standard error of a p-value from b permutations."""
    return float(np.sqrt(p * (1 - p) / b))


def assessment(name, metric, observed, restricted, standard, analytic, *, n_train, n_test, flagged, fixed):
    """The paper's `Assessment` of one metric from the draws of its nulls; the baseline is analytic where it can be.

    The standard error of the confounding test is that of as many draws as there are test rows, the paper's choice.
    NaN where a null does not vary.
    """
    defined = restricted[~np.isnan(restricted)]
    inner, nothing = _moments(defined), Moments(np.nan, np.nan)
    free = None if standard is None else standard[~np.isnan(standard)]
    baseline = analytic or (nothing if free is None else _moments(free))
    z, p = confounding_test(inner.mean, baseline, n_test, direction=metric.direction)
    return Assessment(
        metric=name,
        n_train=n_train,
        n_test=n_test,
        observed=observed,
        restricted=restricted,
        standard=standard,
        restricted_mean=inner.mean,
        restricted_sd=inner.sd,
        baseline_mean=baseline.mean,
        baseline_sd=baseline.sd,
        n_permutations=len(restricted),
        response_p=permutation_p(observed, restricted, direction=metric.direction),
        confounding_z=z,
        confounding_p=p,
        corrected=float(corrected_metric(observed, inner, baseline)),
        corrected_quantile=quantile_corrected_metric(observed, defined, free),
        flagged=flagged,
        fixed=fixed,
    )


def _moments(draws):
    """Mean and standard deviation; NaN for that of draws that do not vary."""
    found = moments(draws)
    return Moments(found.mean, np.nan) if is_constant(draws) else found


def corrected_error(found: Assessment) -> float:
    """Monte Carlo standard error of the corrected metric, by the delta method from the draws behind its moments."""
    restricted, baseline = Moments(found.restricted_mean, found.restricted_sd), _baseline(found)
    ratio, distance = baseline.sd / restricted.sd, (found.observed - restricted.mean) / restricted.sd
    draws = found.restricted[~np.isnan(found.restricted)]
    part = -ratio * (draws - restricted.mean) - distance * ratio * _sd_influence(draws, restricted)
    variance = np.var(part, ddof=1) / len(draws)
    if found.standard is not None:
        free = found.standard[~np.isnan(found.standard)]
        part = free - baseline.mean + distance * _sd_influence(free, baseline)
        variance += np.var(part, ddof=1) / len(free)
    return float(np.sqrt(variance))


def _baseline(found):
    return Moments(found.baseline_mean, found.baseline_sd)


def _sd_influence(draws, of):
    """What each draw adds to the standard deviation, to first order."""
    return ((draws - of.mean) ** 2 - of.sd**2) / (2 * of.sd)
