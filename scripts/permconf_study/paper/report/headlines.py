"""What the page says first: answers to three questions, what does not hold, and the claims figure by figure."""

from collections import Counter

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
CONSEQUENCES = {  # for a user, of claims that do not hold, with their estimates times a factor
    ("s5-association-exp5b", "s5-association-exp5a"): (
        "Do not select confounders by the confounding test: it rejects in {:.0f} to {:.0f}\u00a0% of data sets whose"
        " confounder is associated with the response but does not act on the features.",
        100,
    ),
    ("s22-target-exp1", "s22-target-exp5a"): (
        "Use the reweighted AUC: with that association, the corrected AUC is too low (by {:.2f} to {:.2f}).",
        -1,
    ),
}
FORMS = {verdicts.REPRODUCED: "hold in full", verdicts.NOT_REPRODUCED: "do not", verdicts.UNRESOLVED: "are open"}
FORESTS = "random forests"


def sentences(rows):
    """The verdict on the paper: three questions and answers."""
    return [" ".join([question, *answer]) for question, _, answer in answers(rows)]


def answers(rows):
    """The three questions that a reader has first: question, place of the evidence, sentences of the answer."""
    return [
        ("Does the paper hold?", "figures", [_over_all(rows)]),
        ("Does Fig. 8 hold?", "fig08_simstudy", [simulation_study(rows)]),
        ("What should I do, and what fails?", "not-holding", _consequences(rows)),
    ]


def _over_all(rows):
    judged = [one for one in _passages(rows) if catalogue.passage_verdict(one) in JUDGED]
    found = Counter(FORMS.get(catalogue.passage_verdict(one), "in part or conditionally") for one in judged)
    held, published = found.pop("hold in full", 0), sum(any(map(catalogue.is_published, j)) for j in judged)
    answer = "Yes" if held == len(judged) else "Mostly" if 2 * held > len(judged) else "Not in full"
    rest = "".join(f", {number} {form}" for form, number in found.most_common())
    source = f" ({count(published, 'verdict')} from published tables)" if published else ""
    return f"{answer}: of {count(len(judged), 'passage')}, {held} hold in full{rest}{source}."


def _consequences(rows):
    failed = {row["id"]: row["estimate"] for row in rows if row["verdict"] == verdicts.NOT_REPRODUCED}
    known = {ids: entry for ids, entry in CONSEQUENCES.items() if failed.keys() >= set(ids)}
    said = [text.format(*sorted(factor * failed[id] for id in ids)) for ids, (text, factor) in known.items()]
    return said or [f"{count(len(failed), 'statement')}, of little consequence for a user."]


def _passages(rows):
    return catalogue.passages(rows).values()


def simulation_study(rows):
    """Whether Fig. 8 holds, with our learner and with forests."""
    found = [row for row in catalogue.grouped(rows).get("Fig. 8", []) if not row["ours"]]
    study = [row | {"verdict": row["own_verdict"]} for row in found]
    forests = [row for row in as_read(found, FORESTS) if row["verdict"] != verdicts.NOT_EXAMINED]
    answer = "Yes" if {row["verdict"] for row in study} == {verdicts.REPRODUCED} else "Not in full"
    text = f"{answer}: {_held(study)} hold with logistic regression"
    if not forests:
        return f"{text}; random forests were not run."
    source = " (the latter from published tables)" if all(map(catalogue.is_published, forests)) else ""
    held = "" if _held(forests) == _held(study) else f" {_held(forests)}"
    return f"{text}{',' * bool(held)} and{held} with random forests{source}."


def _held(rows):
    """How many passages hold in full."""
    found = [catalogue.passage_verdict(statements) for statements in _passages(rows)]
    return f"{found.count(verdicts.REPRODUCED)} of {count(len(found), 'passage')}"


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
    found = [catalogue.passage_verdict(statements) for statements in _passages(rows)]
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
