"""What the page says first: answers to three questions, what does not hold, and the claims figure by figure."""

from permconf.wording import count
from permconf_study.paper.claims import catalogue, verdicts

JUDGED = (  # verdicts that count for or against the paper, the worst first
    *(verdicts.NOT_REPRODUCED, catalogue.PART, verdicts.DEPENDS),
    *(verdicts.UNRESOLVED, verdicts.ASYMPTOTIC, verdicts.REPRODUCED),
)
WORST_FIRST = (*JUDGED, verdicts.ERRATUM, verdicts.BY_CONSTRUCTION, verdicts.NOT_EXAMINED)
HEADINGS = {  # of what does not hold, with the verdicts below each
    "Does not hold in full": (verdicts.NOT_REPRODUCED, verdicts.DEPENDS, verdicts.ASYMPTOTIC),
    "Unresolved": (verdicts.UNRESOLVED,),
    "Misprints": (verdicts.ERRATUM,),
}
WARNINGS = {"s5-association-exp5a": "if Y does", "s5-association-exp5b": "if nothing does"}  # behind the third answer
FORESTS = "random forests"
SHOWN = 3  # of what does not hold, in the answer


def sentences(rows):
    """The verdict on the paper in three sentences."""
    study, _, test = answers(rows)
    return [f"{study[0]} {study[2]}", summary(rows), f"{test[0]} {test[2]}"]


def summary(rows):
    """How many passages of the paper hold, and how many have other verdicts."""
    texts = catalogue.passage_counts(rows)
    judged = sum(catalogue.passage_verdict(statements) in JUDGED for statements in catalogue.passages(rows).values())
    held = texts.pop(verdicts.REPRODUCED, "none holds in full")
    held = held.replace(" hold", f" of the {count(judged, 'passage')} judged hold", 1)
    rest, apart = ([text for verdict, text in texts.items() if (verdict in JUDGED) == kind] for kind in (True, False))
    return "; ".join([held, *rest]) + "." + (f" Apart from these, {', '.join(apart)}." if apart else "")


def answers(rows):
    """The three questions that a reader has first: question, place of the evidence, answer."""
    return [
        ("Does Fig. 8 hold?", "fig08_simstudy", simulation_study(rows)),
        ("What does not hold?", "not-holding", _gravest(rows)),
        ("May I use the confounding test?", "finding", _warning(rows)),
    ]


def _gravest(rows):
    listed = [entry["text"] for heading, found in failures(rows).items() if heading != "Misprints" for entry in found]
    more = [f"{count(len(listed) - SHOWN, 'point')} of less consequence"] if len(listed) > SHOWN else []
    return ". ".join([*listed[:SHOWN], *more] or ["Nothing that this run could judge"]) + "."


def simulation_study(rows):
    """Whether Fig. 8 holds, with our learner and with forests."""
    found = [row for row in catalogue.grouped(rows).get("Fig. 8", []) if not row["ours"]]
    study = [row | {"verdict": row["own_verdict"]} for row in found]
    forests = [row for row in as_read(found, FORESTS) if row["verdict"] != verdicts.NOT_EXAMINED]
    answer = "Yes" if {row["verdict"] for row in study} == {verdicts.REPRODUCED} else "Not in full"
    text = f"{answer}: {_held(study)} hold with logistic regression"
    if not forests:
        return f"{text}; random forests were not run."
    source = " (tables of the published run)" if all(map(catalogue.is_published, forests)) else ""
    held = "" if _held(forests) == _held(study) else f" {_held(forests)}"
    return f"{text}{',' * bool(held)} and{held} with random forests{source}."


def _held(rows):
    """How many passages, and how many of their statements, hold."""
    found = [catalogue.passage_verdict(statements) for statements in catalogue.passages(rows).values()]
    whole, single = (sum(v == verdicts.REPRODUCED for v in each) for each in (found, [row["verdict"] for row in rows]))
    return f"{whole} of {count(len(found), 'passage')} ({single} of {count(len(rows), 'statement')})"


def _warning(rows):
    found = {row["id"]: row["estimate"] for row in rows if row["estimate"] is not None}
    rates = [f"in {100 * found[id]:.0f}\u00a0% {when}" for id, when in WARNINGS.items() if id in found]
    at = f": {', '.join(rates)} (experiment 5, level 0.05)" if rates else ""
    return (
        "No, not to decide whether a variable is a confounder: where C and Y are associated it rejects although C does"
        f" not act on the features{at}."
    )


def failures(rows):
    """What is the case where claims do not hold, by heading: entries in the order of their consequence for a user.

    Claims for which the same is the case share an entry: text, verdict, and the claims.
    """
    found = {}
    for heading, chosen in HEADINGS.items():
        entries: dict[str, list] = {}
        for row in sorted((row for row in rows if row["verdict"] in chosen), key=_consequence):
            entries.setdefault(row["statement" if heading == "Unresolved" else "instead"], []).append(_against(row))
        found[heading] = [
            {"text": (text or group[0]["statement"]).rstrip("."), "verdict": group[0]["over_all"], "claims": group}
            for text, group in entries.items()
        ]
    return {heading: entries for heading, entries in found.items() if entries}


def _against(row):
    """The claim under the reading that counts against it: ours, or else the first other one."""
    others = [other for other in row["others"] if other["verdict"] == verdicts.NOT_REPRODUCED]
    finding = others[0] if others and row["own_verdict"] in verdicts.HOLDS else {}
    return row | finding | {"over_all": row["verdict"]}


def _consequence(row):
    """What held in the published run comes first, then the claims by rank; claims without one come last."""
    return row["expected"] != verdicts.REPRODUCED, row["rank"] or 99


def tally(rows):
    """The passages of a group in short ("26 of 27" hold), in words with other verdicts, and the worst verdict."""
    found = [catalogue.passage_verdict(statements) for statements in catalogue.passages(rows).values()]
    worst = next((verdict for verdict in WORST_FIRST if verdict in found), verdicts.NOT_EXAMINED)
    judged = [verdict for verdict in found if verdict in JUDGED]
    words = ", ".join(catalogue.passage_counts(rows).values()) or ("checks of ours" if rows else "no claim")
    text = f"{judged.count(verdicts.REPRODUCED)} of {len(judged)}" if judged else worst if found else words
    return {"text": text, "words": words, "verdict": verdicts.DEPENDS if worst == catalogue.PART else worst}


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
    not_run = finding.get("reason", "").startswith(catalogue.NOT_RUN)
    shown = {"found": catalogue.found_text(finding) or catalogue.NOT_RUN * not_run, "detail": finding["detail"]}
    return shown | {"verdict": finding["verdict"], "criterion": catalogue.differences(finding, row)}
