"""What the numbers of an audit support, in sentences.

The verdict follows from how much the metric changes where cases and controls have the same mix of confounders, with its
interval, and not from a p-value alone. A large p-value is never worded as reassurance. A confounder is named as read
only if the scores vary with it given the response *and the other confounders*.
"""

import math
from dataclasses import dataclass

from permconf.auditing.phrases import ALPHA, between, decimals, listed, metric_name, p_equals, value

MARGIN = 0.03  # change of a metric that makes no practical difference; a share of the value for errors and losses
CHANGES, SAME, TOO_FEW, UNKNOWN = "changes", "no practical difference", "too few rows", "cannot be assessed"
_ROLES = {
    "mediator": "{who} {is_} stated to be a mediator: what the model learns through it is not confounding",
    "consequence": "{who} {is_} stated to be a consequence of {response}: reading it is a way to detect {response}",
}


@dataclass(frozen=True)
class Conclusion:
    """The verdict, and sentences: the headline, what is read, the value to expect, the response, stated roles."""

    verdict: str
    headline: str
    reading: str
    expected: str
    response: str
    roles: str

    def __str__(self):
        parts = (self.headline, self.reading, self.expected, self.response, self.roles)
        return " ".join(part for part in parts if part)


def conclusion(audit) -> Conclusion:
    """The conclusion that the numbers of an audit support."""
    verdict, reason = _verdict(audit)
    return Conclusion(
        verdict,
        _headline(audit, verdict, reason),
        _reading(audit),
        "" if verdict == UNKNOWN else _expected(audit, verdict),
        _response(audit),
        _roles(audit),
    )


# ---- the verdict -----------------------------------------------------------------------------------------------------


def margin(audit) -> float:
    """The change of the metric that makes no practical difference."""
    is_error = not audit.headline.larger_is_better or audit.metric.startswith("neg_")  # scikit-learn's negated errors
    return MARGIN * abs(audit.observed) if is_error else MARGIN


def _verdict(audit):
    """The verdict, and why there is none."""
    found = audit.difference
    if not math.isfinite(found.value):
        return UNKNOWN, found.reason
    if audit.attainable_p > ALPHA:
        return UNKNOWN, next(filter(None, audit.by_confounder["reason"]), "no test could have rejected")
    if -margin(audit) < found.low90 and found.high90 < margin(audit):
        return SAME, ""
    return (CHANGES if found.low > 0 or found.high < 0 else TOO_FEW), ""


def read_confounders(audit):
    """Rows of confounders that are read, given the response and the others, and associated with the response."""
    table = audit.by_confounder
    return table[(table["read_p"] <= ALPHA) & (table["association_p"] <= ALPHA)]


def _headline(audit, verdict, reason):
    who, name = listed(audit.confounders), metric_name(audit.metric)
    found = audit.difference
    if verdict == UNKNOWN:
        return f"Whether {who} {_change(audit)} the {name} cannot be assessed: {reason}."
    places = decimals(found.low, found.high)
    size, interval = value(abs(found.value), places), between((found.low, found.high), places)
    where = _plausible(audit) if audit.headline.estimates.against == "overlap" else _balanced(audit)
    if verdict == SAME:
        stated = value(margin(audit), decimals(0, margin(audit)))
        return (
            f"{_capital(who)} {'makes' if len(audit.confounders) == 1 else 'make'} no practical difference to the"
            f" {name} here: {where} it would change by {value(-found.value, places)} (90 % interval"
            f" {between((-found.high90, -found.low90), places)}), within \u00b1{stated}."
        )
    if verdict == TOO_FEW:
        return f"Too few rows to tell whether {who} {_change(audit)} the {name}: by {interval} (95 % interval)."
    better = (found.value > 0) == audit.headline.larger_is_better
    named = read_confounders(audit)
    opposed = set(named["read_sign"]) - {"inflates" if better else "masks", "unclear"}
    if not len(named) or (opposed and len(audit.confounders) > 1):
        sizes = between(sorted((abs(found.low), abs(found.high))), places)
        moved = f"{size} {'lower' if found.value > 0 else 'higher'} (95 % interval {sizes})"
        return f"{_capital(where)}, the {name} would be {moved}."
    guilty, looks = listed(named["confounder"]), "better" if better else "worse"
    if set(named["role"]) == {"cause"}:
        if better:
            return f"Part of this model's {name} comes from {guilty}."
        return f"{_capital(guilty)} {'hides' if len(named) == 1 else 'hide'} part of this model's {name}."
    return f"The model reads {guilty}, and its {name} looks {looks} for it."


def _these(audit):
    """The confounders, by their names if there are at most two."""
    return listed(audit.confounders) if len(audit.confounders) <= 2 else "the confounders"


def _change(audit):
    return "changes" if len(audit.confounders) == 1 else "change"


def _plausible(audit):
    """The people whom the overlap value is about."""
    outcomes = "both outcomes" if audit.kind == "two classes" else "all outcomes"
    return f"among people for whom {outcomes} are plausible given {_these(audit)}"


def _balanced(audit):
    """The condition under which the metric would be as reweighted."""
    who = _these(audit)
    if "independent" not in audit.population:
        return "in the population of interest"
    if audit.kind == "numeric":
        return f"if {audit.response} were unrelated to {who}"
    groups = "cases and controls" if audit.kind == "two classes" else f"all groups of {audit.response}"
    return f"if {groups} had the same mix of {who}"


# ---- what is read ----------------------------------------------------------------------------------------------------


def _reading(audit):
    named = read_confounders(audit)
    same = f"people {'similar' if audit.kind == 'numeric' else 'alike'} in {audit.response}"
    if len(named):
        who, one = listed(named["confounder"]), len(named) == 1
        read, associated = (p_equals(named[column].max()) for column in ("read_p", "association_p"))
        if not one:
            read, associated = read.replace("p = ", "p at most "), associated.replace("p = ", "p at most ")
        return (
            f"Among {same} its scores still vary with {who}{_shape(named)} ({read}), and"
            f" {'it is' if one else 'they are'} associated with {audit.response} ({associated})."
        )
    who, p = listed(audit.confounders), p_equals(audit.prediction_p)
    if not audit.prediction_p <= ALPHA:
        if audit.attainable_p > ALPHA:
            return ""
        return f"That its scores vary with {who} among {same} is neither shown nor excluded ({p})."
    if len(audit.confounders) > 1:
        return f"Among {same} its scores vary with {who} taken together ({p}); which of them is read is not clear."
    return (
        f"Among {same} its scores vary with {who} ({p}). That {who} is associated with {audit.response} is not shown"
        f" here ({p_equals(audit.association_p)}); where it is, the {metric_name(audit.metric)} would change."
    )


def _shape(named):
    """The shape of a relation that is not monotone, for a single confounder."""
    shapes = set(named["shape"])
    return "" if len(named) > 1 or shapes <= {"linear", ""} else f" (shape: {shapes.pop()})"


# ---- the value to expect ---------------------------------------------------------------------------------------------


def _expected(audit, verdict):
    """The value to expect, and not the observed one where they are shown to differ."""
    target = audit.headline.estimates.against
    found = audit.headline.estimate(target or "overlap")
    if not math.isfinite(found.value):
        return ""
    places = decimals(found.low, found.high)
    near = f"{value(found.value, places)} ({between((found.low, found.high), places)})"
    observed, name = value(audit.observed, places), metric_name(audit.metric)
    article = "an" if name[0] in "AEFIORaeio" else "a"
    rather = f", not {observed}" if verdict == CHANGES and value(found.value, places) != observed else ""
    where = f"{_plausible(audit)} ({who_they_are(audit)})" if target == "overlap" else _balanced(audit)
    return f"{_capital(where)}, expect {article} {name} near {near}{rather}."


def who_they_are(audit) -> str:
    """Whom the overlap value is about: the values of each confounder with 90 % of the weight."""
    return "; ".join(
        f"{row.confounder} {f'{row.low:.4g} to {row.high:.4g}' if math.isfinite(row.low) else listed(row.levels)}"
        for row in audit.support.itertuples()
    )


# ---- the response ----------------------------------------------------------------------------------------------------


def _response(audit):
    who, response = _these(audit), audit.response
    if not math.isfinite(audit.response_p):
        problem = audit.paper.problem if audit.paper is not None else ""
        return f"Whether it has learned {response} beyond {who} cannot be tested: {problem}." if problem else ""
    p, what = p_equals(audit.response_p), f"about {response} beyond {who}"
    if audit.response_p <= ALPHA:
        return f"The model has learned something {what} ({p}); an unmeasured variable could be the reason."
    return f"That it has learned anything {what} is not shown ({p})."


def _roles(audit):
    named = audit.by_confounder[audit.by_confounder["read_p"] <= ALPHA]
    sentences = []
    for role, text in _ROLES.items():
        names = list(named.loc[named["role"] == role, "confounder"])
        if names:
            filled = {"who": listed(names), "is_": "is" if len(names) == 1 else "are", "response": audit.response}
            sentences.append(f"{_capital(text.format(**filled))}.")
    return " ".join(sentences)


def _capital(text):
    return text[0].upper() + text[1:]
