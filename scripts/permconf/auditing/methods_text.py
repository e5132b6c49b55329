"""Methods and results of an audit as one would write them in a paper, with references."""

import math
from importlib.metadata import version

from permconf.auditing.phrases import between, decimals, joined, metric_name, p_equals, value
from permconf.wording import count

VERSION = version("permconf")
REFERENCES = {
    "Berrett et al. 2020": "Berrett, T. B., Wang, Y., Barber, R. F. and Samworth, R. J. (2020). The conditional"
    " permutation test for independence while controlling for confounders. Journal of the Royal Statistical Society,"
    " Series B 82, 175-197.",
    "Chaibub Neto 2018": "Chaibub Neto, E. (2018). Using permutations to detect, quantify and correct for confounding"
    " in machine learning predictions. arXiv:1805.07465.",
    "Holm 1979": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of"
    " Statistics 6, 65-70.",
    "Li et al. 2018": "Li, F., Morgan, K. L. and Zaslavsky, A. M. (2018). Balancing covariates via propensity score"
    " weighting. Journal of the American Statistical Association 113, 390-400.",
    "permconf": f"The permconf developers. permconf: permutation tests for confounding in machine learning predictions,"
    f" version {VERSION}.",
    "van Elteren 1960": "van Elteren, P. (1960). On the combination of independent two-sample tests of Wilcoxon."
    " Bulletin of the International Statistical Institute 37, 351-361.",
    "Westfall and Young 1993": "Westfall, P. H. and Young, S. S. (1993). Resampling-Based Multiple Testing: Examples"
    " and Methods for p-Value Adjustment. Wiley, New York.",
}


_VALUES = {
    "reweighted": "after reweighting",
    "overlap": "with overlap weights",
    "within": "for pairs with the same confounders",
}


def methods(audit) -> str:
    """How the numbers were computed, with citations."""
    parts = [_question(audit), _evaluation(audit), _response_test(audit), _links(audit), _metrics(audit)]
    return " ".join(filter(None, parts))


def references(audit) -> list[str]:
    """The references that the methods cite, in alphabetical order."""
    text = methods(audit)
    return [reference for key, reference in REFERENCES.items() if key in text]


def results(audit) -> str:
    """The numbers in a sentence for each."""
    answer, name = audit.headline, metric_name(audit.metric)
    places = decimals(*answer.observed_interval)
    parts = [f"The {name} was {_with_interval(answer.observed, answer.observed_interval, places)}"]
    for target, found in answer.given().items():
        parts.append(f"{_with_interval(found.value, (found.low, found.high), places)} {_VALUES[target]}")
    tests = [f"association of confounders and response {p_equals(audit.association_p)}"]
    tests += [f"scores and confounders given the response {p_equals(audit.prediction_p)}"]
    if len(audit.confounders) > 1:
        read = [f"{row.confounder} {p_equals(row.read_p)}" for row in audit.by_confounder.itertuples()]
        tests += [f"given the response and the other confounders: {', '.join(read)}"]
    if math.isfinite(answer.response_p):
        tests.insert(0, f"response beyond the confounders {p_equals(answer.response_p)}")
    return f"{', '.join(parts)}. Tests: {'; '.join(tests)}."


def _with_interval(number, interval, places):
    found = f"95 % interval {between(interval, places)}" if math.isfinite(interval[0]) else "no interval"
    return f"{value(number, places)} ({found})"


# ---- the parts -------------------------------------------------------------------------------------------------------


def _question(audit):
    names = joined(audit.confounders)
    return f"Predictions of {audit.response} were audited for confounding by {names} (permconf {VERSION})."


def _evaluation(audit):
    metrics = joined(metric_name(answer.name) for answer in audit.metrics)
    groups = _grouped(audit)
    if not audit.permutations:
        rows = count(audit.counts["test"], "row")
        return f"The predictions were made beforehand and judged on {rows} by {metrics}.{groups}"
    data = f"{count(audit.counts['rows'], 'row')} and {count(audit.counts['features'], 'feature')}"
    adjustment = "" if audit.adjustment == "none" else f" after adjustment by {audit.adjustment}"
    return f"The learner ({audit.learner}; {data}) was evaluated by {metrics}{adjustment}: {audit.split}.{groups}"


def _grouped(audit):
    if audit.groups is None:
        return ""
    return (
        f" Rows belong to {count(audit.counts['groups'], 'group')} ({audit.groups}): splits, permutations and bootstrap"
        " samples respect them."
    )


def _response_test(audit):
    if not audit.permutations:
        return ""
    numeric = [row.confounder for row in audit.by_confounder.itertuples() if row.kind == "numeric"]
    how = "within the levels of the confounders (Chaibub Neto 2018)"
    if numeric:
        how = (
            "by the conditional permutation test (Berrett et al. 2020), which preserves its association with the"
            f" numeric confounders ({joined(numeric)}) by a smooth model; within the levels of categorical"
            " confounders it is the restricted permutation of Chaibub Neto 2018"
        )
    return (
        "To test whether performance exceeds what the confounders explain, the response was permuted"
        f" {how}, and the learner refitted for each of {count(audit.permutations, 'permutation')}."
    )


def _links(audit):
    n = count(audit.test_permutations, "permutation")
    within = "groups of similar values" if audit.kind == "numeric" else "the levels"
    text = (
        f"Association of confounders and response was tested by permuting the confounders ({n}). Association of"
        f" predictions and confounders given the response was tested by permuting the confounders within {within} of"
        f" the response ({n}), with statistics of ranks (van Elteren 1960)."
    )
    if len(audit.confounders) > 1:
        return (
            f"{text} Joint p-values refer to the largest standardised statistic (Westfall and Young 1993). A confounder"
            " was called read if the scores varied with it given the response and the other confounders, by permuting"
            " it conditionally (Berrett et al. 2020), adjusted for the number of confounders (Holm 1979)."
        )
    return text


def _metrics(audit):
    population = "response and confounders are independent with their observed margins"
    if "independent" not in audit.population:
        population = f"response and confounders are distributed as in the population of interest ({audit.population})"
    text = (
        f"The reweighted metric is that of the same predictions, with test rows weighted so that {population}; overlap"
        " weights are one minus the probability of a row's own class (Li et al. 2018). 95 % intervals come from the"
        " bootstrap."
    )
    if math.isfinite(audit.corrected):
        text += " The corrected metric is that of Chaibub Neto 2018."
    return text
