"""What the page says first: answers to three questions, what does not hold, and the claims figure by figure."""

from permconf.wording import count
from permconf_study.paper.claims.catalogue import (
    NOT_RUN,
    PART,
    differences,
    found_text,
    grouped,
    is_published,
    passage_counts,
    passage_verdict,
    passages,
)
from permconf_study.paper.claims.verdicts import (
    ASYMPTOTIC,
    BY_CONSTRUCTION,
    DEPENDS,
    ERRATUM,
    NOT_EXAMINED,
    NOT_REPRODUCED,
    REPRODUCED,
    UNRESOLVED,
)

WORST_FIRST = (
    NOT_REPRODUCED,
    PART,
    DEPENDS,
    UNRESOLVED,
    ASYMPTOTIC,
    REPRODUCED,
    ERRATUM,
    BY_CONSTRUCTION,
    NOT_EXAMINED,
)
JUDGED = WORST_FIRST[:6]
FAILING = (NOT_REPRODUCED, DEPENDS, ASYMPTOTIC)
WARNINGS = {"s5-association-exp5a": "if Y does", "s5-association-exp5b": "if nothing does"}  # behind the third answer
FORESTS = "random forests"


def sentences(rows):
    """The verdict on the paper in three sentences."""
    return [
        f"Does Fig. 8 hold? {simulation_study(rows)}",
        summary(rows),
        f"May I use the confounding test? {_warning(rows)}",
    ]


def summary(rows):
    """How many passages of the paper hold, and how many have other verdicts."""
    texts = passage_counts(rows)
    judged = sum(passage_verdict(statements) in JUDGED for statements in passages(rows).values())
    held = texts.pop(REPRODUCED, "none holds in full").replace(
        " hold", f" of the {count(judged, 'passage')} judged hold", 1
    )
    rest, apart = ([text for verdict, text in texts.items() if (verdict in JUDGED) == kind] for kind in (True, False))
    return "; ".join([held, *rest]) + "." + (f" Apart from these, {', '.join(apart)}." if apart else "")


def answers(rows):
    """The three questions that a reader has first: question, place of the evidence, answer."""
    listed = failures(rows)
    number = sum(len(entries) for heading, entries in listed.items() if heading != MISPRINTS)
    gravest = next(iter(listed.values()))[0]["text"] if listed else ""
    failing = f"{number} {'thing' if number == 1 else 'things'}; the gravest: {gravest[:1].lower()}{gravest[1:]}."
    return [
        ("Does Fig. 8 hold?", "fig08_simstudy", simulation_study(rows)),
        ("What does not hold?", "not-holding", failing if number else "Nothing that this run could judge."),
        ("May I use the confounding test?", "finding", _warning(rows)),
    ]


def simulation_study(rows):
    """Whether Fig. 8 holds, with our learner and with forests."""
    study = [row for row in grouped(rows).get("Fig. 8", []) if not row["ours"]]
    held = sum(row["own_verdict"] == REPRODUCED for row in study)
    forests = [row for row in as_read(study, FORESTS) if row["verdict"] != NOT_EXAMINED]
    answer = "Yes" if study and held == len(study) else "Not in full"
    text = f"{answer}: {held} of {len(study)} statements hold with logistic regression"
    if not forests:
        return f"{text}; random forests were not run."
    source = " (tables of the published run)" if all(map(is_published, forests)) else ""
    number = sum(row["verdict"] == REPRODUCED for row in forests)
    return f"{text}, and {number} of {len(forests)} with random forests{source}."


def _warning(rows):
    found = {row["id"]: row["estimate"] for row in rows if row["estimate"] is not None}
    rates = [f"in {100 * found[id]:.0f}\u00a0% {when}" for id, when in WARNINGS.items() if id in found]
    at = f": {', '.join(rates)} (experiment 5, level 0.05)" if rates else ""
    return (
        "No, not to decide whether a variable is a confounder: where C and Y are associated it rejects although C does"
        f" not act on the features{at}."
    )


MISPRINTS = "Misprints"


def failures(rows):
    """What is the case where claims do not hold, by heading: entries in the order of their consequence for a user.

    Claims for which the same is the case share an entry: text, verdict, and the claims.
    """
    headings = {"Does not hold in full": FAILING, "Unresolved": (UNRESOLVED,), MISPRINTS: (ERRATUM,)}
    found = {}
    for heading, verdicts in headings.items():
        entries: dict[str, list] = {}
        for row in sorted((row for row in rows if row["verdict"] in verdicts), key=_consequence):
            entries.setdefault(row["instead"] if verdicts != (UNRESOLVED,) else row["statement"], []).append(row)
        found[heading] = [
            {"text": (text or group[0]["statement"]).rstrip("."), "verdict": group[0]["verdict"], "claims": group}
            for text, group in entries.items()
        ]
    return {heading: entries for heading, entries in found.items() if entries}


def _consequence(row):
    """What held in the published run comes first, then the claims by rank; claims without one come last."""
    return row["expected"] != REPRODUCED, row["rank"] or 99


def tally(rows):
    """The passages of a group in short ("26 of 27" hold), in words with other verdicts, and the worst verdict."""
    found = [passage_verdict(statements) for statements in passages(rows).values()]
    worst = next((verdict for verdict in WORST_FIRST if verdict in found), NOT_EXAMINED)
    judged = [verdict for verdict in found if verdict in JUDGED]
    words = ", ".join(passage_counts(rows).values()) or ("checks of ours" if rows else "no claim")
    text = f"{judged.count(REPRODUCED)} of {len(judged)}" if judged else worst if found else words
    return {"text": text, "words": words, "verdict": DEPENDS if worst == PART else worst}


def as_read(rows, choice):
    """The claims as they are under another reading of an open choice."""
    return [
        row | other | {"own_verdict": other["verdict"], "expected": other["verdict"], "others": []}
        for row in rows
        for other in row["others"]
        if other["choice"] == choice
    ]


def columns(rows, *, without=()):
    """Names of the choices under which the claims of a group are judged, ours first; [""] if there is no choice."""
    names = dict.fromkeys(name for row in rows for name in (row["choice"], *(o["choice"] for o in row["others"])))
    return [name for name in names if name not in ("", *without)] or [""]


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
