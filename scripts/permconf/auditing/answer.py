"""The answer of an audit: `Audit`, and for each metric a `MetricAnswer`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from permconf.errors import nearest
from permconf.inference.assess import Assessment
from permconf.reweight.estimates import Estimate, Estimates

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class MetricAnswer:
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
                                reweighted, overlap, within; their difference from the observed one, the people whom
                                the overlap value is about, the metric by level (`permconf.reweight.estimates`)
    """

    name: str
    larger_is_better: bool
    observed: float
    observed_interval: Interval
    reweighted: float
    reweighted_interval: Interval
    effective_size: float
    corrected: float
    corrected_error: float
    response_p: float
    response_error: float
    restricted: np.ndarray | None = field(default=None, repr=False)
    standard: np.ndarray | None = field(default=None, repr=False)
    paper: Assessment | None = field(default=None, repr=False)
    estimates: Estimates | None = field(default=None, repr=False)

    def estimate(self, target: str) -> Estimate:
        """The "reweighted", "overlap" or "within" value, or the "difference"; one without a value if there is none."""
        if self.estimates is None:
            return Estimate(reason=f"metric {self.name!r} takes no weights")
        return getattr(self.estimates, target)

    def to_row(self) -> dict:
        """The numbers by name, with an interval as two of them."""
        return {
            "metric": self.name,
            "observed": self.observed,
            "observed_low": self.observed_interval[0],
            "observed_high": self.observed_interval[1],
            "reweighted": self.reweighted,
            "reweighted_low": self.reweighted_interval[0],
            "reweighted_high": self.reweighted_interval[1],
            "effective_size": self.effective_size,
            "corrected": self.corrected,
            "corrected_error": self.corrected_error,
            "response_p": self.response_p,
            "response_error": self.response_error,
            **{
                name: number
                for target in ("overlap", "within", "difference")
                for name, number in _with_interval(target, self.estimate(target)).items()
            },
            "difference_from": None if self.estimates is None else self.estimates.against,
            "balance": np.nan if self.estimates is None else self.estimates.balance,
            **{f"{target}_reason": self.estimate(target).reason for target in ("reweighted", "overlap", "within")},
        }


def _with_interval(name, estimate):
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


@dataclass(frozen=True)
class RecordWise:
    """What a split that ignores groups would have claimed: rows of one subject are then on both sides of a split."""

    observed: float
    observed_interval: Interval
    response_p: float


@dataclass(frozen=True, repr=False, eq=False)
class Audit:
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

    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> site = rng.integers(0, 2, 200)
    >>> ill = 0.6 * site + rng.uniform(size=200) > 0.8
    >>> table = pd.DataFrame({"x": rng.normal(ill + site), "site": site, "ill": ill})
    >>> from permconf import audit
    >>> a = audit(table, response="ill", confounders="site", permutations=99)
    >>> print(a.summary().splitlines()[0])
    Are the predictions of ill confounded by site?
    >>> a.to_dict()["metric"], list(a.by_confounder["confounder"])
    ('auc', ['site'])
    """

    metrics: tuple[MetricAnswer, ...]
    association_p: float
    association_error: float
    prediction_p: float
    prediction_error: float
    confounding_p: float
    confounding_error: float
    sign: str
    by_confounder: pd.DataFrame
    attainable_p: float
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

    @property
    def metric(self) -> str:
        """Name of the first metric."""
        return self.headline.name

    @property
    def observed(self) -> float:
        """The metric as observed."""
        return self.headline.observed

    @property
    def observed_interval(self) -> Interval:
        """95 % interval of the observed metric."""
        return self.headline.observed_interval

    @property
    def reweighted(self) -> float:
        """The metric of the learner as trained, with test rows weighted to the population of interest."""
        return self.headline.reweighted

    @property
    def reweighted_interval(self) -> Interval:
        """95 % interval of the reweighted metric."""
        return self.headline.reweighted_interval

    @property
    def overlap(self) -> Estimate:
        """The metric among people for whom, given the confounders, every class is plausible (`overlap_metric`)."""
        return self.headline.estimate("overlap")

    @property
    def within(self) -> Estimate:
        """The AUC of pairs of a case and a control with the same confounders (`within_metric`)."""
        return self.headline.estimate("within")

    @property
    def difference(self) -> Estimate:
        """Observed minus reweighted value (minus the overlap value where that is withheld), with paired interval."""
        return self.headline.estimate("difference")

    @property
    def support(self) -> pd.DataFrame | None:
        """Whom the overlap value is about: the range or the levels of each confounder with 90 % of the weight."""
        return None if self.headline.estimates is None else self.headline.estimates.support

    @property
    def by_level(self) -> pd.DataFrame | None:
        """The metric in each level of the categorical confounders, with intervals."""
        return None if self.headline.estimates is None else self.headline.estimates.by_level

    @property
    def verdict(self) -> str:
        """ "changes", "no practical difference", "too few rows" or "cannot be assessed"."""
        from permconf.auditing.conclusion import conclusion

        return conclusion(self).verdict

    @property
    def effective_size(self) -> float:
        """Effective number of rows behind the reweighted metric."""
        return self.headline.effective_size

    @property
    def corrected(self) -> float:
        """The paper's corrected metric."""
        return self.headline.corrected

    @property
    def corrected_error(self) -> float:
        """Monte Carlo standard error of the corrected metric."""
        return self.headline.corrected_error

    @property
    def response_p(self) -> float:
        """p-value for "the learner has not learned the response, beyond the confounders"."""
        return self.headline.response_p

    @property
    def response_error(self) -> float:
        """Monte Carlo standard error of response_p."""
        return self.headline.response_error

    @property
    def paper(self) -> Assessment | None:
        """The paper's assessment: its nulls, its confounding test and its corrections."""
        return self.headline.paper

    @property
    def positive(self) -> Any:
        """The positive one of two classes, which larger scores stand for; None for any other response."""
        return self.classes[1] if self.classes is not None and len(self.classes) == 2 else None

    @property
    def pvalue(self) -> float:
        """`confounding_p`, by the name that scipy uses."""
        return self.confounding_p

    @property
    def confidence_interval(self) -> Interval:
        """`observed_interval`, by the name that scipy uses."""
        return self.observed_interval

    @property
    def null_distribution(self) -> np.ndarray | None:
        """Draws of the restricted null of the first metric, by the name that scipy uses; None without fits."""
        return self.headline.restricted

    def __getattr__(self, name: str) -> Any:
        known = [*(one for one in dir(type(self)) if not one.startswith("_")), *self.__dataclass_fields__]
        hint = f"; {_MEANT[name]}" if name in _MEANT else nearest(name, known)
        raise AttributeError(f"an Audit has no {name!r}{hint}")

    # ---- other forms -------------------------------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """One row for each metric, with the tests of confounding repeated."""
        shared = {name: getattr(self, name) for name in _SHARED}
        return pd.DataFrame([answer.to_row() | shared for answer in self.metrics])

    def to_dict(self) -> dict:
        """Everything but draws and predictions, as numbers, texts and lists that JSON can hold; NaN becomes None."""
        described = {name: getattr(self, name) for name in _DESCRIBED}
        tests = {name: getattr(self, name) for name in _SHARED}
        return _json_safe(
            {
                "verdict": self.verdict,
                **self.headline.to_row(),
                **tests,
                "metrics": [answer.to_row() for answer in self.metrics],
                "by_confounder": self.by_confounder,
                "by_level": self.by_level,
                "support": self.support,
                **described,
                "record_wise": None if self.record_wise is None else vars(self.record_wise),
                "sensitivity": self.sensitivity,
                "paper": None if self.paper is None else _scalars(self.paper),
            }
        )

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

    def to_json(self) -> str:
        """`to_dict` as JSON."""
        from permconf.auditing.files import json_text

        return json_text(self)

    def to_html(self) -> str:
        """The page as HTML."""
        from permconf.auditing.page import page

        return page(self)

    def save(self, path: str | Path) -> None:
        """Write the audit to a file, by its suffix: .html (a page), .json, .csv (`to_frame`), .png or .pdf (`plot`)."""
        from permconf.auditing.files import save

        save(self, path)

    def _repr_html_(self) -> str:
        from permconf.auditing.page import notebook

        return notebook(self)

    def __repr__(self) -> str:
        facts = [f"{self.metric}={self.observed:.4g}", f"reweighted={self.reweighted:.4g}"]
        facts += [f"{name}={getattr(self, name):.4g}" for name in ("response_p", "confounding_p")]
        return f"Audit({', '.join(facts)}, sign={self.sign!r}, confounders={list(self.confounders)})"


_SHARED = (
    "association_p",
    "association_error",
    "prediction_p",
    "prediction_error",
    "confounding_p",
    "confounding_error",
    "sign",
    "attainable_p",
)
_INTERVALS = "the intervals are observed_interval and reweighted_interval"
_MEANT = {  # what people try from habit
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
_DESCRIBED = (
    "response",
    "confounders",
    "features",
    "groups",
    "kind",
    "classes",
    "positive",
    "learner",
    "split",
    "adjustment",
    "population",
    "counts",
    "permutations",
    "test_permutations",
    "seed",
    "notes",
)


def _scalars(assessment):
    """Fields of an assessment that are numbers or texts."""
    return {name: value for name, value in vars(assessment).items() if np.isscalar(value)}


def _json_safe(value: Any) -> Any:
    if isinstance(value, pd.DataFrame):
        return [_json_safe(row) for row in value.to_dict("records")]
    if isinstance(value, dict):
        return {str(key): _json_safe(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_json_safe(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
