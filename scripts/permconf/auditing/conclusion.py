"""What the numbers of an audit support, in sentences.

A p-value above .05 is "no evidence", never "no confounding". The direction ("inflates", "masks") is named only for
confounders with evidence of both links.
"""

import math
from dataclasses import dataclass

from permconf.auditing.phrases import ALPHA, between, decimals, listed, metric_name, p_equals, value

FEW_ROWS = 30  # effective rows, and share of the test rows, below which weights rest on few rows
FEW_SHARE = 0.25


@dataclass(frozen=True)
class Conclusion:
    """Sentences about confounding, about the reweighted metric and about the response ("" if not computed).

    `verdict` is "inflates", "masks" or "confounded" (direction unclear or mixed) with evidence of both links for a
    confounder; "apart" if the links are found only for the confounders as a set; else "association", "predictions" or
    "none", by the link for which there is evidence.
    """

    verdict: str
    confounding: str
    reweighted: str
    response: str

    @property
    def confounded(self):
        """Whether there is evidence of both links."""
        return self.verdict in ("inflates", "masks", "confounded")

    def __str__(self):
        return " ".join(filter(None, (self.confounding, self.reweighted, self.response)))


def conclusion(audit) -> Conclusion:
    """The conclusion that the numbers of an audit support."""
    found = audit.by_confounder[audit.by_confounder["p"] <= ALPHA]
    if len(found):
        verdict, sentence = _verdict(found), _both_links(audit, found)
    else:
        verdict, sentence = _missing_link(audit)
    return Conclusion(verdict, sentence, _reweighted(audit, verdict), _response(audit))


# ---- both links ------------------------------------------------------------------------------------------------------


def _verdict(found):
    signs = set(found["sign"])
    return signs.pop() if len(signs) == 1 and "unclear" not in signs else "confounded"


def _both_links(audit, found):
    names = listed(found["confounder"])
    if len(found) == 1:
        row = found.iloc[0]
        predictions, association = f" ({p_equals(row['prediction_p'])})", f" ({p_equals(row['association_p'])})"
        subject = f"{names} is"
        adjusted = "" if len(audit.confounders) == 1 else f" (both links: adjusted {p_equals(row['p'])})"
    else:
        predictions, association, subject = "", "", "each is"
        adjusted = f" (both links: adjusted {listed([p_equals(p) for p in found['p']], most=4)})"
    return (
        f"The predictions carry information about {names} beyond what {audit.response} explains{predictions}, and"
        f" {subject} associated with {audit.response}{association}: {_effects(audit, found)}{adjusted}."
    )


def _effects(audit, found):
    parts = [
        _effect(list(found.loc[found["sign"] == sign, "confounder"]), sign, audit.headline)
        for sign in ("inflates", "masks", "unclear")
        if (found["sign"] == sign).any()
    ]
    return ", ".join(parts)


def _effect(names, sign, metric):
    name, who, several = metric_name(metric.name), listed(names), len(names) > 1
    if sign == "unclear":
        kind = "are confounders" if several else "is a confounder"
        return f"{who} {kind}, but whether this makes the {name} better or worse is unclear"
    verb = ("inflate", "lower") if metric.larger_is_better else ("lower", "inflate")
    what = verb[sign == "masks"] + ("" if several else "s")
    looks = "" if sign == "inflates" and metric.larger_is_better else _looks(sign)
    return f"{who} {what} the {name}{looks}"


def _looks(sign):
    return ", so that it looks better than it is" if sign == "inflates" else ", which masks performance"


# ---- a link is missing -----------------------------------------------------------------------------------------------


def _missing_link(audit):
    names, response = listed(audit.confounders), audit.response
    association, predictions = p_equals(audit.association_p), p_equals(audit.prediction_p)
    carry = f"the predictions carry information about {names} beyond what {response} explains"
    associated = f"{names} {_are(audit.confounders)} associated with {response}"
    found = audit.association_p <= ALPHA, audit.prediction_p <= ALPHA
    if found == (True, True):
        return "apart", _links_apart(audit)
    if found == (True, False):
        return "association", (
            f"{_capital(associated)} ({association}), but there is no evidence that {carry} ({predictions}): no"
            f" evidence of confounding by {names}."
        )
    if found == (False, True):
        name = metric_name(audit.metric)
        return "predictions", (
            f"{_capital(carry)} ({predictions}), but there is no evidence that {associated} ({association}): no"
            f" evidence that the {name} is inflated or masked here. It may be in data where they are associated."
        )
    return "none", (
        f"There is no evidence that {carry} ({predictions}), nor that {associated} ({association}): no evidence of"
        f" confounding by {names}."
    )


def _links_apart(audit):
    smallest = audit.by_confounder.loc[audit.by_confounder["p"].idxmin()]
    return (
        f"No confounder on its own shows evidence of both links (smallest adjusted {p_equals(smallest['p'])}, for"
        f" {smallest['confounder']}). As a set, {listed(audit.confounders)} are associated with {audit.response}"
        f" ({p_equals(audit.association_p)}), and the predictions carry information about them beyond what"
        f" {audit.response} explains ({p_equals(audit.prediction_p)})."
    )


# ---- the metric ------------------------------------------------------------------------------------------------------


def _reweighted(audit, verdict):
    if not math.isfinite(audit.reweighted):
        return ""
    places = decimals(*audit.reweighted_interval)
    scored = f"{value(audit.reweighted, places)} (95 % interval {between(audit.reweighted_interval, places)})"
    observed = value(audit.observed, places)
    where, who = _population(audit), _who(audit)
    if verdict not in ("inflates", "masks", "confounded"):
        return f"Confounding is not ruled out: {where}, the same {who} {scored}, against {observed} as observed."
    if not _agrees(audit, verdict):
        return (
            f"{_capital(where)}, however, the same {who} {scored}, against {observed} as observed: the data do not show"
            " how large the effect is."
        )
    few = f" These weights rest on few rows: they are worth {audit.effective_size:,.0f}." if weak_weights(audit) else ""
    return f"{_capital(where)}, the same {who} {scored} instead of {observed}.{few}"


def weak_weights(audit):
    """Whether the reweighted metric rests on few rows."""
    size, rows = audit.effective_size, audit.counts.get("test", 0)
    return math.isfinite(size) and (size < FEW_ROWS or size < FEW_SHARE * rows)


def _agrees(audit, verdict):
    """Whether the reweighted metric differs from the observed one in the direction of the verdict."""
    gain = (audit.observed - audit.reweighted) * (1 if audit.headline.larger_is_better else -1)
    return {"inflates": gain > 0, "masks": gain < 0, "confounded": True}[verdict]


def _population(audit):
    if "independent" not in audit.population:
        return "in the population of interest"
    return f"where {audit.response} is independent of {listed(audit.confounders)}"


def _who(audit):
    if math.isnan(audit.response_p) and not audit.permutations:
        return "predictions score"
    return "model scores" if audit.kind == "numeric" else "classifier scores"


def _response(audit):
    if not math.isfinite(audit.response_p):
        return ""
    names, p, name = listed(audit.confounders), p_equals(audit.response_p), metric_name(audit.metric)
    alone = f"{names} alone explain{'s' if len(audit.confounders) == 1 else ''}"
    if audit.response_p <= ALPHA:
        return f"The {name} is better than {alone} ({p})."
    return f"There is no evidence that the {name} is better than {alone} ({p})."


def _are(names):
    return "is" if len(names) == 1 else "are"


def _capital(text):
    return text[0].upper() + text[1:]
