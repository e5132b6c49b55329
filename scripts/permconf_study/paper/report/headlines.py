"""What the page says first: the verdict in three sentences, and the claims figure by figure."""

from collections import Counter

from permconf_study.paper.claims.catalogue import NOT_RUN, counts, differences, found_text, grouped
from permconf_study.paper.claims.verdicts import (
    ASYMPTOTIC,
    BY_CONSTRUCTION,
    DEPENDS,
    NOT_EXAMINED,
    NOT_REPRODUCED,
    REPRODUCED,
    UNRESOLVED,
)

JUDGED = (REPRODUCED, ASYMPTOTIC, DEPENDS, NOT_REPRODUCED, UNRESOLVED)
WARNING = "s5-association"  # the claim behind the third sentence


def sentences(rows):
    """The verdict on the paper in three sentences."""
    stated = [row for row in rows if not row["ours"]]
    judged = [row for row in stated if row["verdict"] in JUDGED]
    number = Counter(row["verdict"] for row in stated)
    others = {
        "depend on the learner, which the paper does not name": number[DEPENDS],
        "hold only as n grows": number[ASYMPTOTIC],
        "do not hold": number[NOT_REPRODUCED],
        "are unresolved": number[UNRESOLVED],
        "more are true by construction": number[BY_CONSTRUCTION],
    }
    passages = len({row["quote"] for row in judged})
    first = f"{number[REPRODUCED]} of the {len(judged)} statements of the paper that this run judges"
    first += f" (from {passages} passages of its text) hold"
    rest = "".join(f"; {count} {text}" for text, count in others.items() if count)
    return [f"{first}{rest}.", _simulation_study(stated), _warning(rows)]


def _simulation_study(rows):
    study = grouped(rows).get("Fig. 8", [])
    held = [row for row in study if row["own_verdict"] == REPRODUCED]
    text = f"In the simulation study (Fig. 8) {len(held)} of {len(study)} statements hold with logistic regression"
    others = [other for row in study for other in row["others"]]
    forests = [other for other in others if other["verdict"] != NOT_EXAMINED]
    if not forests:
        return f"{text}; random forests were not run."
    count = sum(other["verdict"] == REPRODUCED for other in forests)
    rest = f" ({len(others) - len(forests)} more were not run)" if len(forests) < len(others) else ""
    return f"{text}, and {count} of {len(forests)} with random forests{rest}."


def _warning(rows):
    row = next((row for row in rows if row["id"] == WARNING and row["estimate"] is not None), None)
    rate = f" in {100 * row['estimate']:.0f}\u00a0% of data sets" if row else ""
    return (
        "Do not use the confounding test to decide whether a variable is a confounder: where C and Y are associated it"
        f" rejects{rate} at nominal level 0.05 although C has no effect on the features."
    )


def failures(rows):
    """What does not hold, by heading; empty if everything does."""
    stated, ours = ([row for row in rows if row["ours"] == kind] for kind in (False, True))
    found = {
        "Not reproduced": [row for row in stated if row["verdict"] == NOT_REPRODUCED],
        "Depends on the learner, which the paper does not name": [row for row in stated if row["verdict"] == DEPENDS],
        "Holds only as n grows": [row for row in stated if row["verdict"] == ASYMPTOTIC],
        "Unresolved": [row for row in stated if row["verdict"] == UNRESOLVED],
        "Checks of ours that fail": [row for row in ours if row["verdict"] in (NOT_REPRODUCED, DEPENDS)],
    }
    return found if any(found.values()) else {}


def tally(rows):
    """The claims of a group in short ("26 of 27" hold), in words with all other verdicts, and by the worst of them."""
    stated = [row for row in rows if not row["ours"]]
    judged = [row for row in stated if row["verdict"] in JUDGED]
    found = {row["verdict"] for row in judged}
    if not judged:
        built = any(row["verdict"] == BY_CONSTRUCTION for row in stated)
        text = BY_CONSTRUCTION if built else NOT_EXAMINED if stated else "checks of ours" if rows else "no claim"
        return {"text": text, "words": text, "verdict": BY_CONSTRUCTION if built else NOT_EXAMINED}
    worst = next((name for name in (NOT_REPRODUCED, DEPENDS, UNRESOLVED, ASYMPTOTIC) if name in found), REPRODUCED)
    text = f"{sum(row['verdict'] == REPRODUCED for row in judged)} of {len(judged)}"
    depend = sum(row["verdict"] == DEPENDS for row in judged)
    others = counts(stated) | {REPRODUCED: 0, "checks of ours": len(rows) - len(stated)}
    words = f"{text} hold" + "".join(f", {number} {name}" for name, number in others.items() if number)
    return {"text": f"{text}, {depend} depend" if depend else text, "words": words, "verdict": worst}


def columns(rows):
    """Names of the choices under which the claims of a group are judged, ours first; [""] if there is no choice."""
    names = dict.fromkeys(name for row in rows for name in (row["choice"], *(o["choice"] for o in row["others"])))
    names.pop("", None)
    return list(names) or [""]


def cells(row, names):
    """What was found under each choice: text, detail, verdict, and the criterion and data sets if they are others.

    A claim without a choice stands in the first column.
    """
    found = {row["choice"] or names[0]: row | {"verdict": row["own_verdict"]}}
    found |= {other["choice"]: other for other in row["others"]}
    return [_cell(found[name], row) if name in found else None for name in names]


def _cell(finding, row):
    text = found_text(finding) or (NOT_RUN if finding.get("reason", "").startswith(NOT_RUN) else "")
    shown = {"found": text, "detail": finding["detail"], "verdict": finding["verdict"]}
    return shown | {"criterion": differences(finding, row)}
