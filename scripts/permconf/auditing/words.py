"""What an audit did, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from permconf.auditing.scored_rows import ScoredRows
from permconf.data.sample import Sample
from permconf.engine.adjustment import adjustment_name
from permconf.inference.links import Links

INDEPENDENT = "confounders and response independent, with the margins of the sample"
SHARES = "shares given for the cells of response and confounder"


def described_learner(learner: Any) -> str:
    """A learner: its name with its options, or the estimator as it prints."""
    if isinstance(learner, str):
        return learner
    if isinstance(learner, Mapping):
        options = ", ".join(f"{key} = {value}" for key, value in learner.items() if key != "name")
        return f"{learner['name']} ({options})" if options else learner["name"]
    return " ".join(repr(learner).split())


def described_adjustment(adjustment: Any) -> str:
    """An adjustment by the name of its class and its options."""
    name = adjustment_name(adjustment)
    if name == "no_adjustment":
        return "none"
    options = ", ".join(f"{key} = {value}" for key, value in vars(adjustment).items())
    return f"{name} ({options})" if options else name


def described_data(sample: Sample, population: Any) -> dict[str, Any]:
    """The fields of an audit that name the columns of a sample, and the population of interest."""
    labels, subjects = sample.response.labels, sample.subjects
    return {
        "response": sample.response.name,
        "confounders": sample.confounders.names,
        "groups": None if subjects is None else subjects.name,
        "kind": {0: "numeric", 2: "two classes"}.get(sample.response.classes, "several classes"),
        "classes": None if labels is None else tuple(labels.tolist()),
        "population": INDEPENDENT if population == "independent" else SHARES,
    }


def tests_of(links: Links, sample: Sample) -> dict[str, Any]:
    """The fields of an audit that hold the tests; the table of confounders has the role that was stated for each."""
    roles = {column.name: column.role for column in sample.confounders.columns}
    table = links.by_confounder
    return vars(links) | {"by_confounder": table.assign(role=table["confounder"].map(roles))}


def note_on_guess(scored: ScoredRows, *, made_elsewhere: bool = False) -> Iterator[str]:
    """A note if the scores of two classes rank rows worse than a guess: are they those of the other class?"""
    response = scored.sample.response
    if response.positive is None or (value := scored.auc()) >= 0.5:
        return
    positive, other = response.positive, response.labels.tolist()[0]  # type: ignore[union-attr]
    if made_elsewhere:
        yield (
            f"The AUC for {positive!r} is {value:.2f}, below .5. If larger scores stand for {other!r}, give"
            f" positive={other!r}."
        )
    else:
        yield f"The AUC for {positive!r} is {value:.2f}, below .5: the model ranks test rows no better than a guess."


def notes_on_counts(counts: Mapping[str, int]) -> Iterator[str]:
    """Sentences about rows that cannot be permuted or were left out, and fits that were flagged."""
    if counts["fixed_rows"]:
        yield (
            f"{counts['fixed_rows']} of {counts['rows']} rows are in levels of the confounders with one row or one"
            " response, where nothing can be permuted."
        )
    if counts["flagged"]:
        yield f"Fits that were separated or did not converge: {counts['flagged']:,}. Their results are used."
    if counts["dropped"]:
        yield f"Rows in no training or test set: {counts['dropped']:,}."
