"""The answer of an audit: `Audit`, and for each metric a `MetricAnswer`."""

import math
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from permconf.inference.assess import Assessment
from permconf.inference.links import Links
from permconf.results import Result, also, json_safe
from permconf.reweight.estimates import Estimate, Estimates

Interval = tuple[float, float]
_TESTS = [one.name for one in fields(Links) if one.name != "by_confounder"]
_NUMBERS = ("effective_size", "corrected", "corrected_error", "response_p", "response_error")  # without interval
_INTERVALS = "the intervals are observed_interval and reweighted_interval"
_HINTS = {  # for names that people try from habit
    **dict.fromkeys(("p_value", "p"), "its p-values are confounding_p, prediction_p, association_p and response_p"),
    **dict.fromkeys(("score", "auc", "value", "performance"), "the metric is in observed, reweighted and metrics"),
    **dict.fromkeys(("ci", "interval", "intervals"), _INTERVALS),
    **dict.fromkeys(("report", "show", "conclusion"), "print it, or use summary(), plot() and save('audit.html')"),
    **dict.fromkeys(
        ("table", "results"), "to_frame() has a row for each metric, by_confounder one for each confounder"
    ),
    **dict.fromkeys(("scores", "folds"), "predictions has fold and score of every test row"),
    **dict.fromkeys(("estimator", "model"), "the learner is described in learner; fitted models are not kept"),
    **dict.fromkeys(("null", "nulls"), "the draws are in metrics[0].restricted, or null_distribution"),
    "adjusted": "the value without confounding is reweighted; adjustment names what was done before the fits",
    "confounding": "its tests are confounding_p and by_confounder",
    "weights": "reweighted_metric(...).weights has the weights of rows; effective_size is what they are worth",
    "warnings": "what a reader must know is in notes",
    "n_jobs": "results do not depend on it",
}


@dataclass(frozen=True, eq=False)
class MetricAnswer(Result):
    """What an audit found for one metric. Numbers that were not computed are NaN.

    name, larger_is_better      the metric
    observed                    its value for the response as it is: on the test set, or the mean over folds and repeats
    observed_interval           its 95 % bootstrap interval; rows (or whole groups) of the test sets are resampled
    reweighted                  its value with test rows weighted to the population of interest; nothing is fitted again
    reweighted_interval         its 95 % bootstrap interval
    effective_size              number of equally weighted rows that would be worth as much as the weighted ones
    corrected                   the paper's corrected metric (the "orange" correction)
    corrected_error             its Monte Carlo standard error, from the errors of the moments of the nulls
    response_p                  has the learner learned the response, beyond the confounders?
    response_error              Monte Carlo standard error of response_p
    restricted                  draws of the restricted null, behind response_p and corrected
    standard                    draws of the standard null; None where the baseline is analytic
    paper                       the paper's `Assessment`; None without permutations
    estimates                   the values for other people, each with interval or the reason why there is none:
                                reweighted, overlap, within; their difference from the observed one, with test sets
                                counted as in them; the people whom the overlap value is about, the metric by level
                                (`permconf.reweight.estimates`)
    """

    name: str
    larger_is_better: bool
    observed: float
    observed_interval: Interval
    estimates: Estimates = field(repr=False)
    corrected: float = math.nan
    corrected_error: float = math.nan
    response_p: float = math.nan
    response_error: float = math.nan
    restricted: np.ndarray | None = field(default=None, repr=False)
    standard: np.ndarray | None = field(default=None, repr=False)
    paper: Assessment | None = field(default=None, repr=False)

    reweighted = also("estimates.reweighted.value")
    reweighted_interval = also("estimates.reweighted.low", "estimates.reweighted.high")
    effective_size = also("estimates.reweighted.size")
    overlap = also("estimates.overlap", doc="The metric among people for whom every class is plausible.")
    within = also("estimates.within", doc="The AUC of pairs of a case and a control with the same confounders.")
    difference = also("estimates.difference", doc="Observed minus reweighted (else overlap) value.")
    support = also("estimates.support", doc="Whom the overlap value is about: 90 % of its weight, by confounder.")
    by_level = also("estimates.by_level", doc="The metric in each level of the categorical confounders.")

    def estimate(self, target: str) -> Estimate:
        """The "reweighted", "overlap" or "within" value, or the "difference"."""
        return getattr(self.estimates, target)

    def given(self) -> dict[str, Estimate]:
        """The values of the metric for other people, as far as there are any."""
        found = {target: self.estimate(target) for target in ("reweighted", "overlap", "within")}
        return {target: one for target, one in found.items() if math.isfinite(one.value)}

    def to_dict(self) -> dict:
        """`to_row`, as JSON can hold it."""
        return json_safe(self.to_row())

    def to_row(self) -> dict:
        """The numbers by name, with an interval as two of them."""
        return {
            "metric": self.name,
            **_with_interval("observed", Estimate(self.observed, *self.observed_interval)),
            **_with_interval("reweighted", self.estimates.reweighted),
            **{name: getattr(self, name) for name in _NUMBERS},
            **_with_interval("overlap", self.overlap),
            **_with_interval("within", self.within),
            **_with_interval("difference", self.difference),
            "difference_from": self.estimates.against or None,
            "balance": self.estimates.balance,
            **{f"{target}_reason": self.estimate(target).reason for target in ("reweighted", "overlap", "within")},
        }


def _with_interval(name, estimate):
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


@dataclass(frozen=True)
class RecordWise(Result):
    """What a split that ignores groups would have claimed: rows of one subject are then on both sides of a split."""

    observed: float
    observed_interval: Interval
    response_p: float


@dataclass(frozen=True, repr=False, eq=False)
class Audit(Links, Result):
    """The answer of an audit. `observed` and all other results of a metric are those of the first one.

    metrics             a `MetricAnswer` for each metric; the first is the headline
    association_p       are confounders associated with the response? (joint; `association_error` is its error)
    prediction_p        do predictions carry more of the confounders than the response explains? (`prediction_error`)
    confounding_p       the larger of the two for a confounder, adjusted for the number of confounders by the method of
                        Holm: evidence of both links (`confounding_error`)
    sign                "inflates", "masks" or "unclear": of the confounder with the smallest p in the prediction test
    by_confounder       a row for each: confounder, p (adjusted), association_p, prediction_p (of it alone), sign, kind;
                        read_p, read_sign and shape: is it read, given the response and the other confounders?;
                        attainable_p, and a reason where no small p-value is possible; role (as stated; "" if not)
    attainable_p        the smallest confounding_p that these data could have given
    response, confounders, features, groups   names of columns
    kind                "two classes", "several classes" or "numeric"
    classes             the classes in order; of two, larger scores stand for the second one; None for numbers
    positive            the second of two classes; None for any other response
    learner, split, adjustment, population    in words
    counts              rows, train, test, features, dropped; folds, repeats; groups; levels (of the combined
                        categorical confounders), fixed_levels and fixed_rows (where no permutation changes anything);
                        flagged (fits that were separated or did not converge)
    permutations        behind response_p and corrected; `test_permutations` behind the other two tests
    seed                with which the audit can be repeated
    predictions         a row for each test row: row (label of the table), fold, response, score (mean over repeats)
    record_wise         what a record-wise split would have claimed, where groups exist
    sensitivity         observed, prediction_p and confounding_p with other random splits (option `sensitivity`)
    notes               sentences that a reader needs

    >>> from permconf import audit, example
    >>> a = audit(example(), response="ill", confounders="site", permutations=99)
    >>> print(a.summary().splitlines()[0])
    Are the predictions of ill confounded by site?
    >>> a.to_dict()["metric"], list(a.by_confounder["confounder"])
    ('auc', ['site'])
    """

    metrics: tuple[MetricAnswer, ...]
    response: str
    confounders: tuple[str, ...]
    features: tuple[str, ...]
    groups: str | None
    kind: str
    classes: tuple | None
    learner: str
    split: str
    adjustment: str
    population: str
    counts: dict[str, int]
    permutations: int
    test_permutations: int
    seed: int
    predictions: pd.DataFrame
    record_wise: RecordWise | None
    sensitivity: pd.DataFrame | None
    notes: tuple[str, ...]

    # ---- the headline ------------------------------------------------------------------------------------------------

    @property
    def headline(self) -> MetricAnswer:
        """The answer for the first metric."""
        return self.metrics[0]

    metric = also("headline.name", doc="Name of the first metric.")
    observed = also("headline.observed", doc="The metric as observed.")
    observed_interval = also("headline.observed_interval", doc="95 % interval of the observed metric.")
    reweighted = also("headline.reweighted", doc="The metric with test rows weighted to the population of interest.")
    reweighted_interval = also("headline.reweighted_interval", doc="95 % interval of the reweighted metric.")
    effective_size = also("headline.effective_size", doc="Effective number of rows behind the reweighted metric.")
    corrected = also("headline.corrected", doc="The paper's corrected metric.")
    corrected_error = also("headline.corrected_error", doc="Monte Carlo standard error of the corrected metric.")
    response_p = also("headline.response_p", doc='p-value for "no response learning beyond the confounders".')
    response_error = also("headline.response_error", doc="Monte Carlo standard error of response_p.")
    paper = also("headline.paper", doc="The paper's assessment: its nulls, its confounding test and its corrections.")
    overlap = also("headline.overlap", doc="The metric among people for whom every class is plausible.")
    within = also("headline.within", doc="The AUC of pairs of a case and a control with the same confounders.")
    difference = also(
        "headline.difference", doc="Observed minus reweighted (else overlap) value, with paired interval."
    )
    support = also("headline.support", doc="Whom the overlap value is about: 90 % of its weight, by confounder.")
    by_level = also("headline.by_level", doc="The metric in each level of the categorical confounders.")
    null_distribution = also("headline.restricted", doc="Draws of the restricted null; None without fits.")
    pvalue = also("confounding_p")
    confidence_interval = also("observed_interval")
    HINTS = _HINTS

    @property
    def verdict(self) -> str:
        """ "changes", "no practical difference", "too few rows" or "cannot be assessed"."""
        from permconf.auditing.conclusion import conclusion

        return conclusion(self).verdict

    @property
    def positive(self) -> Any:
        """The positive one of two classes, which larger scores stand for; None for any other response."""
        return self.classes[1] if self.classes is not None and len(self.classes) == 2 else None

    # ---- other forms -------------------------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """One row for each metric, with the tests of confounding repeated."""
        tests = {name: getattr(self, name) for name in _TESTS}
        return pd.DataFrame([answer.to_row() | tests for answer in self.metrics])

    def to_dict(self) -> dict:
        """Everything but draws and predictions, as numbers, texts and lists that JSON can hold; NaN becomes None."""
        names = [one.name for one in fields(self) if one.name != "predictions"]
        parts = {name: getattr(self, name) for name in (*names, "positive", "by_level", "support", "paper")}
        return json_safe({"verdict": self.verdict, **self.headline.to_row(), **parts})

    def summary(self) -> str:
        """The answer in plain words, one screenful."""
        from permconf.auditing.summary import summary

        return summary(self)

    def __str__(self) -> str:
        return self.summary()

    def methods(self) -> str:
        """How the numbers were computed, as one would write it in a paper, with references."""
        from permconf.auditing.methods_text import methods, references

        return "\n\n".join([methods(self), *references(self)])

    def plot(self, ax: Any = None) -> Any:
        """A figure: the metric with its nulls and intervals, and the p-values of the confounders. It is not shown.

        With matplotlib axes `ax` the values with their intervals are drawn there, and the axes returned.
        """
        from permconf.auditing.plots import draw_values, plot

        if ax is None:
            return plot(self)
        draw_values(ax, self.headline)
        return ax

    def to_html(self) -> str:
        """The page as HTML."""
        from permconf.auditing.page import page

        return page(self)

    def save(self, path: str | Path) -> None:
        """Write the audit to a file, by its suffix: .html (a page), .json, .csv (`to_frame`), .png or .pdf (`plot`)."""
        from permconf.plotting.style import save

        file = Path(path)
        writers: dict[str, Any] = {
            ".html": lambda: file.write_text(self.to_html(), encoding="utf-8"),
            ".json": lambda: file.write_text(self.to_json() + "\n", encoding="utf-8"),
            ".csv": lambda: self.to_frame().to_csv(file, index=False),
            **dict.fromkeys((".png", ".pdf"), lambda: save(self.plot(), file)),
        }
        if file.suffix not in writers:
            raise ValueError(f"an audit is saved as {', '.join(writers)}, not as {file.name!r}")
        if not file.parent.is_dir():
            raise ValueError(f"there is no folder {str(file.parent)!r} for {file.name}")
        writers[file.suffix]()

    def _repr_html_(self) -> str:
        from permconf.auditing.page import notebook

        return notebook(self)

    def __repr__(self) -> str:
        facts = [f"{self.metric}={self.observed:.4g}", f"reweighted={self.reweighted:.4g}"]
        facts += [f"{name}={getattr(self, name):.4g}" for name in ("response_p", "confounding_p")]
        return f"Audit({', '.join(facts)}, sign={self.sign!r}, confounders={list(self.confounders)})"
