"""The arena: adjustments judged side by side on the data sets of a scenario, also by what only a simulation knows.

Every method of workflow/arena.yaml is trained on the training rows of a data set. Its predictions of the test rows are
judged as they would be in practice, by the prediction test and the reweighted metric (`study.predictions`);
`grouped_p` is the prediction test with numeric confounders in GROUPS groups. Beyond that, new rows are drawn from the
same model:

- `independent`: the metric where confounders and response are independent;
- `reversed`: the metric in a population of interest where their association has the opposite sign;
- `oracle`: the metric of the learner, trained on the same rows, if confounders had never acted on the features.
"""

from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import yaml

from permconf.data.confounders import confounder_columns
from permconf.data.mixed_confounders import analysed_confounder
from permconf.data.split import Split
from permconf.engine.adjustment import adjusted_learner, adjusted_split, check_adjustment, make_adjustment
from permconf.engine.scores import Scores
from permconf.errors import one_line
from permconf.generators import make_generator
from permconf.inference.association_test import association_test
from permconf.inference.combined import combined
from permconf.inference.prediction_test import prediction_test
from permconf.learners import fitted_scores, make_learner
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import reweighted_metrics
from permconf_study.study.assessments import split_rows
from permconf_study.study.paths import HOME
from permconf_study.study.predictions import REWEIGHTED, TESTED

POPULATIONS = {"independent": 0.0, "reversed": -1.0}  # factor of the association of confounders and response
POPULATION_ROWS = 1000
GROUPS = 5  # quantile groups of a numeric confounder in the prediction test that sees any shape of effect
JUDGED = (*TESTED, "grouped_p", *REWEIGHTED, "observed", *POPULATIONS)


def load_methods():
    """The learners and methods of the arena, by name."""
    return yaml.safe_load((HOME / "workflow/arena.yaml").read_text())


@dataclass(frozen=True)
class Trial:
    """A data set with further rows: training rows `train`, and test rows by part (the data set's own, populations)."""

    X: np.ndarray
    clean: np.ndarray  # the features if confounders had never acted on them
    y: np.ndarray
    c: np.ndarray
    own: int  # rows of the data set
    train: np.ndarray
    parts: dict[str, np.ndarray]

    @classmethod
    def of(cls, dataset, parameters, data, analysis, streams):
        """The data set, and POPULATION_ROWS rows of each population."""
        generator = make_generator(data["generator"])
        drawn = [("data", parameters)]
        for name, factor in POPULATIONS.items():
            changed = {k: factor * v for k, v in parameters.items() if k.startswith("gamma")}
            drawn.append((f"arena/{name}", parameters | changed | {"n": POPULATION_ROWS}))
        unacted = dict.fromkeys((k for k in parameters if k.startswith("theta")), 0.0)
        acted, clean = (
            [generator.sample(streams.rng(stream), **given | also) for stream, given in drawn]
            for also in ({}, unacted)  # the same stream gives the same rows
        )
        X, y, c = (np.concatenate([sample[k] for sample in acted]) for k in range(3))
        train, test = split_rows(dataset, analysis["split"], streams)
        starts = np.cumsum([len(sample[1]) for sample in acted])
        later = {name: np.arange(starts[k], starts[k + 1]) for k, name in enumerate(POPULATIONS)}
        return cls(X, np.concatenate([s[0] for s in clean]), y, c, len(dataset.y), train, {"test": test} | later)

    def split(self, bins=None, *, clean=False):
        """Training rows and all other rows that are predicted; bins are those of the rows of the data set."""
        X, c = self.clean if clean else self.X, analysed_confounder(self.c, self.binning(bins))
        return Split.of(X, self.y, c, self.train, np.concatenate(list(self.parts.values())))

    def binning(self, bins):
        """How confounders are analysed: numeric ones by quantiles of the data set in so many bins, or (None) smooth."""
        if bins is None:
            return "smooth"
        return [
            {"breaks": np.quantile(column.values, np.arange(1, bins) / bins)} if column.kind == "numeric" else "levels"
            for column in self.columns
        ]

    @cached_property
    def columns(self):
        """The confounders of the data set."""
        return confounder_columns(self.c[: self.own])

    @property
    def is_numeric(self):
        """Whether a confounder is numeric."""
        return any(column.kind == "numeric" for column in self.columns)

    def by_part(self, scores):
        """The scores of each part of the predicted rows."""
        ends = np.cumsum([len(rows) for rows in self.parts.values()])[:-1]
        return {
            name: Scores(values, scores.flagged, scores.kind)
            for name, values in zip(self.parts, np.split(scores.values, ends), strict=True)
        }


def contest(datasets, design, data, analysis, contestants, *, seed):
    """Columns of the results of all data sets: a row for each learner and method.

    `design` is a mapping of columns with the parameters of the data sets, `data` and `analysis` are those of the
    scenario, and `contestants` the content of workflow/arena.yaml. A method that fails is a row with its error.
    """
    places = {int(number): row for row, number in enumerate(design["dataset"])}
    rows: list[dict[str, Any]] = []
    for dataset in datasets:
        parameters = {k: v[places[dataset.number]] for k, v in design.items() if k != "dataset"}
        streams = Streams(seed, data["stream"], dataset.number)
        trial = Trial.of(dataset, parameters, data, analysis, streams)
        rows += [{"dataset": dataset.number, **row} for row in _judged(trial, analysis, contestants, streams)]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _judged(trial, analysis, contestants, streams):
    """A row for every learner and method."""
    (name,) = analysis["metrics"]
    metric, split, rows = make_metric(name), cache(trial.split), []
    for learner_name, method, learner, oracle in _entered(trial, contestants, metric, streams):
        row = {"learner": learner_name, "method": method, "oracle": oracle, "n_train": len(trial.train)}
        row |= dict.fromkeys(JUDGED, np.nan) | {"prediction_sign": "", "kept": 0, "error": ""}
        options = contestants["methods"][method]
        try:
            adjustment = make_adjustment(options["adjustment"])
            scores, kept = _scores(split(options.get("bins")), learner, adjustment, streams)
        except ValueError as error:
            rows.append((row | {"error": one_line(error)}, None))
            continue
        values = {part: _metric(metric, trial, scores, part) for part in trial.parts}
        values["observed"] = values.pop("test")
        rows.append((row | values | {"kept": kept}, trial.by_part(scores)["test"]))
    made = [(row, scores) for row, scores in rows if scores is not None]
    found = _in_practice(trial, [scores for _, scores in made], metric, analysis["predictions"], streams)
    for (row, _), more in zip(made, found, strict=True):
        row |= more
    return [row for row, _ in rows]


def _entered(trial, contestants, metric, streams):
    """Name of the learner, method, learner and metric of the oracle, for every learner and method that take part."""
    for name, spec in contestants["learners"].items():
        learner = make_learner(spec)
        clean = _scores(trial.split(clean=True), learner, make_adjustment("none"), streams)[0]
        oracle = _metric(metric, trial, clean, "independent")
        for method, options in contestants["methods"].items():
            fits = name in options.get("learners", contestants["learners"])
            if fits and (trial.is_numeric or not options.get("numeric")):
                yield name, method, learner, oracle


def _in_practice(trial, several, metric, predictions, streams):
    """The tests and the reweighted metric of several predictions of the test rows."""
    train, test = trial.train, trial.parts["test"]
    y, c, seed = trial.y[test], trial.c[test], int(streams.keys("predictions", 1)[0])
    options = {"permutations": predictions["permutations"], "seed": seed}
    parts = np.repeat([0, 1], [len(train), len(test)])
    rows = np.concatenate([train, test])
    association = association_test(trial.y[rows], trial.c[rows], parts=parts, **options)
    try:
        weighted = reweighted_metrics(y, several, c, metric=metric, bootstrap=predictions["bootstrap"], seed=seed)
        values = [{"reweighted": w.value, "reweighted_low": w.low, "reweighted_high": w.high} for w in weighted]
    except ValueError:  # a cell of response and confounder has no rows
        values = [{} for _ in several]
    for scores, found in zip(several, values, strict=True):
        test_of = partial(prediction_test, scores.values[:, 0], y, c, **options)
        plain = test_of()
        grouped = test_of(confounder=trial.binning(GROUPS)) if trial.is_numeric else plain
        yield found | {
            "prediction_p": plain.p,
            "prediction_sign": plain.sign,
            "grouped_p": grouped.p,
            "association_p": association.p,
            "combined_p": combined(plain, association).p,
        }


def _scores(split, learner, adjustment, streams):
    """Scores of all predicted rows, and the number of training rows that were kept."""
    check_adjustment(adjustment, learner, "classification", levels=split.has_levels)
    adjusted = adjusted_split(adjustment, split, streams.rng("adjustment"))
    learner = adjusted_learner(learner, adjustment, adjusted.c_train)
    keys = streams.keys("observed/learner", 1)
    scores = fitted_scores(learner, adjusted.X_train, adjusted.y_train[:, None], adjusted.X_test, keys)
    return scores, len(adjusted.y_train)


def _metric(metric, trial, scores, part):
    found = metric.values(trial.y[trial.parts[part]][:, None], trial.by_part(scores)[part].needed(metric.needs))
    return float(found[0])
