"""The arena: adjustments judged side by side on the data sets of a scenario, also by what only a simulation knows.

Every method of workflow/arena.yaml is trained on the training rows of a data set. Its predictions of the test rows are
judged as they would be in practice, by the prediction test and the reweighted metric (`study.predictions`);
`grouped_p` is the prediction test with numeric confounders in GROUPS groups. Beyond that, new rows are drawn from the
same model:

- `independent`: the metric where confounders and response are independent;
- `reversed`: the metric in a population of interest where their association has the opposite sign;
- `oracle`: the metric of the learner, trained on the same rows, if confounders had never acted on the features.
"""

import contextlib
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import yaml

from permconf.data.features import Features
from permconf.data.sample import Sample
from permconf.engine.evaluate import evaluate, metric_of
from permconf.engine.folds import Folds
from permconf.errors import one_line
from permconf.generators import make_generator
from permconf.inference.association_test import association_test_of
from permconf.inference.links import Rows, links
from permconf.inference.prediction_test import prediction_test_of
from permconf.learners import Scores, make_learner
from permconf.metrics import make_metric
from permconf.permute.random_streams import Streams
from permconf.reweight.metric import reweighted
from permconf_study.study.assessments import split_rows
from permconf_study.study.paths import HOME
from permconf_study.study.predictions import REWEIGHTED, TESTED, columns_of

POPULATIONS = {"independent": "unconfounded", "reversed": "reversed"}  # the world of the generator that each is
CLEAN = {"data": "unacting", "independent": "ideal"}  # where confounders do not act; the oracle needs no other rows
POPULATION_ROWS = 1000
GROUPS = 5  # quantile groups of a numeric confounder in the prediction test that sees any shape of effect
JUDGED = (*TESTED, "grouped_p", *REWEIGHTED, "observed", *POPULATIONS)


def load_methods():
    """The learners and methods of the arena, by name."""
    return yaml.safe_load((HOME / "workflow/arena.yaml").read_text())


@dataclass(frozen=True)
class Trial:
    """A data set with further rows: training rows `train`, and test rows by part (the data set's own, populations)."""

    sample: Sample
    clean: Sample  # the same rows if confounders had never acted on the features
    own: int  # rows of the data set
    train: np.ndarray
    parts: dict[str, np.ndarray]

    @classmethod
    def of(cls, dataset, parameters, data, analysis, streams):
        """The data set, and POPULATION_ROWS rows of each population."""
        generator = make_generator(data["generator"])
        samplers = {"data": generator.sample, **{name: generator.worlds[world] for name, world in POPULATIONS.items()}}
        clean = samplers | {name: generator.worlds[world] for name, world in CLEAN.items()}
        streamed = {"data": "data"} | {name: f"arena/{name}" for name in POPULATIONS}  # the same stream, the same rows
        size = {"data": parameters} | {name: parameters | {"n": POPULATION_ROWS} for name in POPULATIONS}
        acted, unacted = (
            [sampler(streams.rng(streamed[name]), **size[name]) for name, sampler in chosen.items()]
            for chosen in (samplers, clean)
        )
        X, y, c = (np.concatenate([rows[k] for rows in acted]) for k in range(3))
        sample = Sample.of(X, y, c, treatment="smooth")
        own, starts = len(dataset.y), np.cumsum([len(rows[1]) for rows in acted])
        train, test = split_rows(sample.take(slice(0, own)), analysis["split"], streams)
        later = {name: np.arange(starts[k], starts[k + 1]) for k, name in enumerate(POPULATIONS)}
        features = Features.of(np.concatenate([rows[0] for rows in unacted]))
        return cls(sample, replace(sample, features=features), own, train, {"test": test} | later)

    def treatment(self, bins):
        """How confounders are analysed: numeric ones by quantiles of the data set in `bins` bins, or (None) smooth."""
        columns = self.sample.confounders.columns
        if bins is None:
            return "smooth"
        shares = np.arange(1, bins) / bins
        return [
            "levels" if one.levels is not None else {"breaks": np.quantile(one.values[: self.own], shares)}
            for one in columns
        ]

    @property
    def is_numeric(self):
        """Whether a confounder is numeric."""
        return not self.sample.confounders.has_levels

    def evaluated(self, sample, learner, adjustment, streams):
        """The learner trained on the training rows, with the scores of all other rows."""
        folds = Folds.split(self.train, np.concatenate(list(self.parts.values())))
        return evaluate(sample, folds, learner=learner, metrics={}, adjustment=adjustment, streams=streams)

    def by_part(self, evaluation):
        """The rows of each part that were predicted, by their numbers, and their scores."""
        predicted, scores = evaluation.rows[evaluation.folds.folds[0].test], evaluation.scores[0]
        found = {}
        for name, rows in self.parts.items():
            places = np.flatnonzero(np.isin(predicted, rows))
            found[name] = predicted[places], Scores(scores.values[places], scores.flagged, scores.kind)
        return found


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
    metric, treated, rows = make_metric(name), cache(lambda bins: trial.sample.treated(trial.treatment(bins))), []
    for learner_name, method, learner, oracle in _entered(trial, contestants, metric, streams):
        row = {"learner": learner_name, "method": method, "oracle": oracle, "n_train": len(trial.train)}
        row |= dict.fromkeys(JUDGED, np.nan) | {"prediction_sign": "", "kept": 0, "error": ""}
        options = contestants["methods"][method]
        try:
            evaluation = trial.evaluated(treated(options.get("bins")), learner, options["adjustment"], streams)
        except ValueError as error:
            rows.append((row | {"error": one_line(error)}, None))
            continue
        parts = trial.by_part(evaluation)
        values = {part: _metric(metric, trial, *parts[part]) for part in parts}
        values["observed"] = values.pop("test")
        rows.append((row | values | {"kept": evaluation.n_train}, parts["test"]))
    made = [(row, predicted) for row, predicted in rows if predicted is not None]
    found = _in_practice(trial, [predicted for _, predicted in made], metric, analysis["predictions"], streams)
    for (row, _), more in zip(made, found, strict=True):
        row |= more
    return [row for row, _ in rows]


def _entered(trial, contestants, metric, streams):
    """Name of the learner, method, learner and metric of the oracle, for every learner and method that take part."""
    for name, spec in contestants["learners"].items():
        learner = make_learner(spec)
        clean = trial.by_part(trial.evaluated(trial.clean, learner, "none", streams))
        oracle = _metric(metric, trial, *clean["independent"])
        for method, options in contestants["methods"].items():
            fits = name in options.get("learners", contestants["learners"])
            if fits and (trial.is_numeric or not options.get("numeric")):
                yield name, method, learner, oracle


def _in_practice(trial, several, metric, predictions, streams):
    """The tests and the reweighted metric of several predictions of test rows, given by rows and scores."""
    seed = int(streams.keys("predictions", 1)[0])
    options = {"permutations": predictions["permutations"], "shape": "linear", "seed": seed}
    used = trial.sample.take(np.concatenate([trial.train, trial.parts["test"]]))
    everything = Rows.of(used, np.repeat([0, 1], [len(trial.train), len(trial.parts["test"])]))
    association = association_test_of(everything, **options)
    for (rows, scores), values in zip(several, _reweighted(trial, several, metric, predictions, seed), strict=True):
        test = trial.sample.take(rows)
        plain = links(everything, Rows.of(test), scores.values[:, 0], association=association, **options)
        grouped_p = plain.prediction_p
        if trial.is_numeric:
            grouped = Rows.of(trial.sample.treated(trial.treatment(GROUPS)).take(rows))
            grouped_p = prediction_test_of(scores.values, grouped, **options).p
        yield values | columns_of(plain) | {"grouped_p": grouped_p}


def _reweighted(trial, several, metric, predictions, seed):
    """The reweighted metric of each prediction; those of the same rows share their weights."""
    found: list[dict] = [{} for _ in several]
    keys = [rows.tobytes() for rows, _ in several]
    for key in dict.fromkeys(keys):
        chosen = [k for k, one in enumerate(keys) if one == key]
        test = trial.sample.take(several[chosen[0]][0])
        with contextlib.suppress(ValueError):  # a cell of response and confounder has no rows
            weighted = reweighted(
                [_weighted(metric, test, several[k][1]) for k in chosen],
                *(test.response, test.confounders, None),
                metric=metric,
                bootstrap=predictions["bootstrap"],
                streams=Streams(seed, "reweighting"),
            )
            for k, w in zip(chosen, weighted, strict=True):
                found[k] = {"reweighted": w.value, "reweighted_low": w.low, "reweighted_high": w.high}
    return found


def _weighted(metric, test, scores):
    predicted = scores.needed(metric.needs)[:, 0]
    return lambda weights: metric.weighted(test.response.values, predicted, weights)


def _metric(metric, trial, rows, scores):
    return metric_of(metric, trial.sample.response.values[rows], scores, metric.name)
