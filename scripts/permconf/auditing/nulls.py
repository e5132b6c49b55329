"""What the permutation nulls of a metric say: the response test, the paper's assessment, and Monte Carlo errors."""

import numpy as np

from permconf.method.assess import (
    Assessment,
    confounding_test,
    corrected_metric,
    moments,
    permutation_p,
    quantile_corrected_metric,
)


def answered_nulls(name, metric, observed, restricted, standard, n_train, n_test):
    """Fields of a `MetricAnswer` that follow from the draws of the restricted and of the standard null."""
    draws, free = restricted.values[name], standard.values[name]
    p = permutation_p(observed, draws, direction=metric.direction)
    inner, baseline = moments(draws), moments(free)
    z, paper_p = confounding_test(inner.mean, baseline, n_test, direction=metric.direction)
    corrected = float(corrected_metric(observed, inner, baseline))
    assessment = Assessment(
        metric=name,
        n_train=n_train,
        n_test=n_test,
        observed=observed,
        restricted=draws,
        standard=free,
        restricted_mean=inner.mean,
        restricted_sd=inner.sd,
        baseline_mean=baseline.mean,
        baseline_sd=baseline.sd,
        n_permutations=len(draws),
        response_p=p,
        confounding_z=z,
        confounding_p=paper_p,
        corrected=corrected,
        corrected_quantile=quantile_corrected_metric(observed, draws, free),
        flagged=restricted.flagged,
        fixed=0,
    )
    return {
        "corrected": corrected,
        "corrected_error": corrected_error(observed, draws, inner, baseline, free),
        "response_p": p,
        "response_error": float(np.sqrt(p * (1 - p) / len(draws))),
        "restricted": draws,
        "standard": free,
        "paper": assessment,
    }


def corrected_error(observed, draws, restricted, baseline, standard_draws):
    """Monte Carlo standard error of the corrected metric, by the delta method from the draws behind its moments."""
    ratio, distance = baseline.sd / restricted.sd, (observed - restricted.mean) / restricted.sd
    part = -ratio * (draws - restricted.mean) - distance * ratio * _sd_influence(draws, restricted)
    variance = np.var(part, ddof=1) / len(draws)
    if standard_draws is not None:
        part = standard_draws - baseline.mean + distance * _sd_influence(standard_draws, baseline)
        variance += np.var(part, ddof=1) / len(standard_draws)
    return float(np.sqrt(variance))


def _sd_influence(draws, of):
    """What each draw adds to the standard deviation, to first order."""
    return ((draws - of.mean) ** 2 - of.sd**2) / (2 * of.sd)
