"""The answer in plain words, one screenful."""

import math
import re
import textwrap

from permconf.auditing.conclusion import conclusion, read_confounders, who_they_are
from permconf.auditing.phrases import (
    ALPHA,
    between,
    decimals,
    error,
    listed,
    metric_name,
    p_equals,
    p_value,
    shortened,
    value,
)
from permconf.wording import count

WIDTH = 92
MOST_ROWS = 6  # confounders that are shown
MOST_NOTES = 4
_GLUE = "\x1f"
TARGETS = {  # values of the metric for other people, with a remark
    "reweighted": "same mix, worth {rows} rows",
    "overlap": "worth {rows} rows",
    "within": "pairs with same confounders",
}


def summary(audit) -> str:
    """The question, the answer, the numbers with their errors, and what a reader must know."""
    blocks = [
        [f"Are the predictions of {audit.response} confounded by {listed(audit.confounders, most=6)}?"],
        [str(conclusion(audit))],
        _values(audit),
        _tests(audit),
        _confounders(audit),
        _notes(audit),
        [setting(audit)],
    ]
    return "\n\n".join("\n".join(map(_wrapped, block)) for block in blocks if block)


def _wrapped(line):
    """A line of at most WIDTH characters; no break inside "p = .01" and "95 %"."""
    if len(line) <= WIDTH:
        return line
    indent = len(line) - len(line.lstrip())
    hanging = " " * (indent + 2 * line.lstrip().startswith("- "))
    kept = re.sub(r"\b(p) ([=<>]) |(95) (?=%)", lambda found: found[0].replace(" ", _GLUE), line)
    filled = textwrap.fill(kept, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)
    return filled.replace(_GLUE, " ")


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _values(audit):
    rows = [("", "value", "95 % interval", ""), *(row for answer in audit.metrics for row in value_rows(answer))]
    return [f"  {name:<34} {number:>8}   {interval:<16} {remark}".rstrip() for name, number, interval, remark in rows]


def value_rows(answer):
    """Rows of the table of one metric: name, value, interval and remark. What was not computed has none."""
    places = decimals(*answer.observed_interval, least=3)
    name = metric_name(answer.name)
    rows = [(f"{name}, observed", value(answer.observed, places), between(answer.observed_interval, places), "")]
    for target, remark in TARGETS.items():
        found = answer.estimate(target)
        if math.isfinite(found.value):
            interval, remark = between((found.low, found.high), places), remark.format(rows=f"{found.size:,.0f}")
            rows.append((f"{name}, {target}", value(found.value, places), interval, remark))
        elif answer.estimates.against and target == "reweighted":
            rows.append((f"{name}, {target}", "-", "", "withheld, see below"))
    if math.isfinite(answer.corrected):
        spread = f"Monte Carlo error {error(answer.corrected_error)}"
        rows.append((f"{name}, corrected (paper)", value(answer.corrected, places), "", spread))
    return rows


# ---- tests -----------------------------------------------------------------------------------------------------------


def _tests(audit):
    rows = [("test", "p", "error"), *((name, p_value(p), error(spread)) for name, p, spread in test_rows(audit))]
    return [f"  {name:<66} {p:>7} {spread:>8}" for name, p, spread in rows]


def test_rows(audit):
    """Rows of the table of tests: the question, the p-value and its Monte Carlo error."""
    several = len(audit.confounders) > 1
    who = "the confounders" if several else audit.confounders[0]
    short, response = shortened([who, audit.response], 18)
    rows = [
        (f"Does the model detect {response} beyond {short}?", "response"),
        (f"{'Are' if several else 'Is'} {short} associated with {response}?", "association"),
        (f"Do scores vary with {short} given {response}?", "prediction"),
        (f"Both{' for one confounder (adjusted)' if several else ' (the larger p)'}?", "confounding"),
    ]
    found = [(name, getattr(audit, f"{key}_p"), getattr(audit, f"{key}_error")) for name, key in rows]
    return [row for row in found if math.isfinite(row[1])]


def _confounders(audit):
    if len(audit.confounders) == 1:
        return []
    table = audit.by_confounder.sort_values("read_p", kind="stable")
    lines = [f"  {'confounder':<30} {'read, given others':>19} {'associated with y':>18}   direction"]
    shown = table.head(MOST_ROWS)
    for name, row in zip(shortened(shown["confounder"], 30), shown.itertuples(), strict=True):
        ps = f"{p_value(row.read_p):>19} {p_value(row.association_p):>18}"
        lines.append(f"  {name:<30} {ps}   {direction(row)}")
    if len(table) > MOST_ROWS:
        lines.append(f"  ... and {len(table) - MOST_ROWS} more (by_confounder)")
    return lines


def direction(row):
    """The direction of a confounder that is read and associated with the response, else a dash."""
    return row.read_sign if row.read_p <= ALPHA and row.association_p <= ALPHA else "-"


_PEOPLE = {"reweighted": "the same mix of confounders", "overlap": "people for whom every outcome is plausible"}


# ---- notes -----------------------------------------------------------------------------------------------------------


def notes(audit):
    """What a reader must know: how the audit may mislead, then the notes of the audit itself."""
    return [*_record_wise(audit), *_otherwise(audit), *_cautions(audit), *audit.notes]


def _notes(audit):
    found = notes(audit)
    more = [f"- ... and {len(found) - MOST_NOTES} more (notes)"] if len(found) > MOST_NOTES else []
    return [f"- {note}" for note in found[:MOST_NOTES]] + more


def _record_wise(audit):
    if audit.record_wise is None:
        return []
    claim = audit.record_wise
    places = decimals(*claim.observed_interval)
    text = f"A split by rows, with rows of one {audit.groups} on both sides, would have claimed"
    tested = f", {p_equals(claim.response_p)}" if math.isfinite(claim.response_p) else ""
    found = f"{value(claim.observed, places)} (95 % interval {between(claim.observed_interval, places)}{tested})"
    return [f"{text} {metric_name(audit.metric)} {found}."]


def _cautions(audit):
    close = [
        f"{p_equals(p)} ({name})"
        for name in ("response", "association", "prediction", "confounding")
        if abs((p := getattr(audit, f"{name}_p")) - ALPHA) < 2 * getattr(audit, f"{name}_error")
    ]
    if close:
        yield f"Within Monte Carlo error of .05: {listed(close, most=4)}. More permutations would settle it."
    for target in ("reweighted", "overlap"):
        reason = audit.headline.estimate(target).reason
        if reason and audit.headline.estimates.against and (target == "reweighted" or audit.kind != "numeric"):
            yield f"No value for {_PEOPLE[target]}: {reason}."
    if math.isfinite(audit.overlap.value):
        yield f"The overlap value is about people with {who_they_are(audit)}, for whom every outcome is plausible."
    unstated = [row.confounder for row in read_confounders(audit).itertuples() if not row.role]
    if unstated:
        yield (
            f"Whether {listed(unstated)} should be read is not in the data: for a mediator, or a consequence of"
            f" {audit.response}, this is no confounding (state its role)."
        )
    if math.isfinite(audit.corrected) and max(audit.response_p, audit.association_p) <= ALPHA:
        yield (
            f"The paper's corrected value is unreliable where {audit.response} acts on the features and is associated"
            " with the confounders; prefer the values above it."
        )


def _otherwise(audit):
    """What other splits give."""
    splits = audit.sensitivity
    if splits is None:
        return []
    low, high = splits["observed"].min(), splits["observed"].max()
    p_values = splits["confounding_p"]
    agree = int(((p_values <= ALPHA) == (audit.confounding_p <= ALPHA)).sum())
    found = f"{metric_name(audit.metric)} {between((low, high), decimals(low, high, least=3))}"
    most = f"p from {p_value(p_values.min())} to {p_value(p_values.max())}"
    return [f"{count(len(splits), 'other random split')}: {found}, confounding {most}; {agree} agree at .05."]


def setting(audit):
    """How the numbers were computed, in one line."""
    counts = audit.counts
    rows = count(counts["rows"], "row")
    if counts.get("groups"):
        rows += f" in {count(counts['groups'], 'group')} ({audit.groups})"
    parts = [rows]
    if counts.get("features"):
        parts.append(count(counts["features"], "feature"))
    parts += [*shortened([audit.learner], 60), audit.split]
    if audit.positive is not None:
        parts.append(f"positive class {audit.positive}")
    if audit.adjustment != "none":
        parts.append(f"adjustment: {audit.adjustment}")
    if audit.permutations:
        parts.append(f"{count(audit.permutations, 'permutation')} (response)")
    parts += [f"{audit.test_permutations:,} (other tests)", f"seed {audit.seed}"]
    return "; ".join(filter(None, parts)) + "."
