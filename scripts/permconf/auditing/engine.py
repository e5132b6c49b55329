"""Everything that is fitted in an audit: the training and test sets of a plan, and the nulls of their metrics."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from permconf.data.encoding import Encoding, is_number
from permconf.data.features import feature_tables
from permconf.data.mixed_confounders import MixedConfounders
from permconf.data.split import Split
from permconf.data.table import Table
from permconf.engine.adjustment import (
    Adjustment,
    adjusted_learner,
    adjustment_name,
    check_adjustment,
    make_adjustment,
)
from permconf.engine.contracts import Metric, Moments, check_task, labelled, make_learner
from permconf.engine.evaluation import FittedSet, mean_over_sets, null_draws, observed_scores
from permconf.engine.folds import Fold, Plan, planned
from permconf.engine.nulls import Draws
from permconf.engine.plugin_results import checked_values
from permconf.engine.runner import Runner
from permconf.engine.scores import Scores
from permconf.permute.permuted_response import PermutedResponse, permuted_response
from permconf.permute.random_streams import Streams


@dataclass(frozen=True)
class Setup:
    """What an audit does with a table: learner, adjustment, metrics by name, the options of the plan, and streams."""

    learner: Any
    adjustment: Adjustment
    metrics: dict[str, Metric]
    plan: dict[str, Any]
    streams: Streams
    run: Runner

    @property
    def learner_name(self):
        """The name of a built-in learner; None for estimators and learner objects."""
        spec = self.learner.get("name") if isinstance(self.learner, Mapping) else self.learner
        return spec if isinstance(spec, str) and "." not in spec else None


@dataclass(frozen=True)
class Engine:
    """A table, the plan of its training and test sets, and these sets as the learner takes them."""

    table: Table
    setup: Setup
    plan: Plan
    sets: list[FittedSet]
    dropped: int

    @classmethod
    def of(cls, table: Table, setup: Setup) -> "Engine":
        """Split, adjust and encode the rows of a table."""
        learner, task = labelled(make_learner(setup.learner), table.classes), next(iter(setup.metrics.values())).task
        check_task(learner, task)
        adjusting = Adjusting(setup.adjustment, setup.streams)
        check_adjustment(setup.adjustment, learner, task, levels=table.has_levels)
        is_single = setup.plan["cv"] is None and setup.plan["repeats"] == 1
        kept = table if is_single else table.take(adjusting.kept(table, Fold(table.rows, table.rows)).train)
        plan = planned(kept, streams=setup.streams, **setup.plan)
        if is_single:
            plan = replace(plan, folds=(adjusting.kept(kept, plan.folds[0]),))
        kept, plan = kept.take(plan.used), plan.renumbered()
        sets = [_fitted_set(kept, fold, learner, setup, adjusting) for fold in plan.folds]
        return cls(kept, setup, plan, sets, len(table) - len(kept))

    # ---- the response as it is ---------------------------------------------------------------------------------------

    @cached_property
    def scores(self) -> list[Scores]:
        """Scores of every test set."""
        return observed_scores(self.sets, self.table.y, self.setup.streams)

    def observed(self, name: str) -> float:
        """A metric of the response as it is: the mean over the test sets where it is defined."""
        metric, y = self.setup.metrics[name], self.table.y
        pairs = zip(self.sets, self.scores, strict=True)
        values = [metric.values(y[one.test][:, None], scores.needed(metric.needs)) for one, scores in pairs]
        value = float(mean_over_sets(np.stack([checked_values(v, 1, name) for v in values]))[0])
        if np.isnan(value):
            raise ValueError(f"{name} is not defined for the test rows; choose another metric or a larger test set")
        return value

    # ---- its permutations --------------------------------------------------------------------------------------------

    def permuted(self, confounders: MixedConfounders | None, null: str) -> PermutedResponse:
        """How the response is permuted, given these confounders or (None) freely."""
        keys = self.setup.streams.keys(f"{null}/hub", 2)
        return permuted_response(self.table.y, confounders, self.table.groups, self.plan.parts, keys)

    def draws(self, permuted: PermutedResponse, null: str, b: int) -> Draws:
        """b draws of all metrics."""
        setup = self.setup
        return null_draws(self.sets, setup.metrics, permuted, streams=setup.streams, null=null, b=b, run=setup.run)

    def analytic_baseline(self, name: str) -> Moments | None:
        """The moments of a metric without confounding, by formula: for one test set of independent rows."""
        analytic = self.setup.metrics[name].analytic_null
        if analytic is None or not self.plan.is_single or self.table.groups is not None:
            return None
        return analytic(self.table.y[self.sets[0].test])

    @property
    def flagged(self) -> int:
        """Number of fits to the response as it is that were flagged."""
        return sum(int(scores.flagged.sum()) for scores in self.scores)


def make_setup(*, learner, adjustment, metrics, plan, streams, n_jobs, progress) -> Setup:
    """A setup; fits of scikit-learn estimators run in processes, all others in threads."""
    run = Runner(n_jobs, processes=hasattr(learner, "fit"), progress=progress)
    return Setup(learner, make_adjustment(adjustment), metrics, plan, streams, run)


def _fitted_set(table, fold, learner, setup, adjusting):
    """One training and test set with its features encoded and adjusted."""
    X = table.X.iloc[fold.train], table.X.iloc[fold.test]
    named = setup.learner_name
    X = feature_tables(*X, learner) if named is None else Encoding.of(named).matrices(*X)
    X = adjusting.features(X, table, fold)
    return FittedSet(
        fold.train, fold.test, X[0], X[1], adjusted_learner(learner, setup.adjustment, table.c[fold.train])
    )


@dataclass(frozen=True)
class Adjusting:
    """An adjustment that may select rows or change features."""

    adjustment: Adjustment
    streams: Streams

    @property
    def is_idle(self):
        """Whether the sets stay as they are."""
        return type(self.adjustment).adjusted is Adjustment.adjusted

    def _adjusted(self, X, table, fold):
        y, c = table.y, table.c
        split = Split(X[0], y[fold.train], c[fold.train], X[1], y[fold.test], c[fold.test])
        return self.adjustment.adjusted(split, self.streams.rng("adjustment"))

    def kept(self, table, fold):
        """The rows that the adjustment selects."""
        if self.is_idle:
            return fold
        numbers = [rows[:, None].astype(float) for rows in (fold.train, fold.test)]
        split = self._adjusted(numbers, table, fold)
        pairs = zip((fold.train, fold.test), (split.X_train, split.X_test), strict=True)
        train, test = (rows if len(rows) == len(X) else X[:, 0].astype(np.int64) for rows, X in pairs)
        return Fold(train, test, fold.repeat)

    def features(self, X, table, fold):
        """Features of both sets, changed by an adjustment that changes them; frames stay frames."""
        numbers = [rows[:, None].astype(float) for rows in (fold.train, fold.test)]
        if self.is_idle or not self._changes(numbers, table, fold):
            return X
        frames = isinstance(X[0], pd.DataFrame)
        labelled = [name for name in X[0].columns if not is_number(X[0][name])] if frames else []
        if labelled:
            raise ValueError(
                f"adjustment {adjustment_name(self.adjustment)!r} changes features and needs numbers, but"
                f" {labelled[0]!r} holds labels; encode it first"
            )
        split = self._adjusted([np.ascontiguousarray(part, np.float64) for part in X], table, fold)
        made = split.X_train, split.X_test
        return tuple(pd.DataFrame(part, columns=X[0].columns) for part in made) if frames else made

    def _changes(self, numbers, table, fold):
        """Whether features, rather than rows, are changed: row numbers do not stay what they are."""
        return not np.isin(self._adjusted(numbers, table, fold).X_train, numbers[0]).all()
