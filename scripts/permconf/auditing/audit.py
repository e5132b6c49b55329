"""One call: from own data to the answer."""

from typing import Any

import numpy as np
import pandas as pd

from permconf.auditing.answer import Audit, MetricAnswer
from permconf.auditing.confounding import PERMUTATIONS, links
from permconf.auditing.evaluation import FoldData, evaluated, null_draws
from permconf.auditing.features import Encoding
from permconf.auditing.intervals import FoldScores, observed_interval, over_folds, reweighted
from permconf.auditing.nulls import answered_nulls
from permconf.auditing.permutations import permuted_response
from permconf.auditing.plan import hold_out
from permconf.auditing.table import read_table
from permconf.method.contracts import fitted_scores, make_learner, make_metric
from permconf.method.mixed_confounders import MixedConfounders
from permconf.method.random_streams import Streams


def audit(
    data: Any,
    *,
    response: Any,
    confounders: Any,
    features: Any = None,
    learner: Any = "logistic",
    metric: Any = "auc",
    test_size: float = 0.5,
    cv: Any = None,
    repeats: int = 1,
    split: Any = None,
    groups: Any = None,
    population: Any = "independent",
    adjustment: Any = "none",
    permutations: int = 999,
    n_jobs: int = 1,
    seed: int = 0,
    progress: bool | None = None,
) -> Audit:
    """Does a learner read the confounders, and how well does it predict the response without them?"""
    names = [metric] if isinstance(metric, str) else list(metric)
    metrics = {name: make_metric(name) for name in names}
    streams = Streams(seed, "audit")
    task = metrics[names[0]].task
    table = read_table(data, response=response, confounders=confounders, features=features, groups=groups, task=task)
    plan = hold_out(table.y, table.groups, test_size=test_size, rng=streams.rng("split"))
    learner_object = make_learner(learner)
    folds = []
    for fold in plan.folds:
        X = Encoding.of(learner).matrices(table.X.iloc[fold.train], table.X.iloc[fold.test])
        folds.append(FoldData(fold.train, fold.test, *X, learner_object, fold.repeat))
    mixed = MixedConfounders.of(table.confounders)
    restricted = permuted_response(table.y, mixed, table.groups, plan.parts, streams.keys("restricted/hub", 2))
    standard = permuted_response(table.y, None, table.groups, plan.parts, streams.keys("standard/hub", 2))

    def run(tasks):
        return [task() for task in tasks]

    keys = [streams.keys(f"observed/learner/{k}", 1) for k in range(len(folds))]
    observed = evaluated(folds, metrics, table.y[:, None], keys)
    scores = [
        fitted_scores(f.learner, f.X_train, table.y[f.train][:, None], f.X_test, k).values[:, 0]
        for f, k in zip(folds, keys, strict=True)
    ]
    draws = null_draws(folds, metrics, restricted, streams, "restricted", permutations, run)
    baseline = null_draws(folds, metrics, standard, streams, "standard", permutations, run)
    test = folds[0].test
    test_groups = None if table.groups is None else table.groups.codes[test]
    found = links(
        table.y,
        table.confounders,
        scores[0],
        table.y[test],
        table.confounders.iloc[test],
        groups=None if table.groups is None else table.groups.codes,
        test_groups=test_groups,
        seed=seed,
    )
    answers = []
    for name, one in metrics.items():
        fold_metric = over_folds(one, [FoldScores(np.arange(len(test)), scores[0])])
        weighted = reweighted(
            table.y[test], table.confounders.iloc[test], fold_metric, test_groups, population, seed=seed
        )
        interval = observed_interval(table.y[test], table.confounders.iloc[test], fold_metric, test_groups, seed=seed)
        answers.append(
            MetricAnswer(
                name,
                one.larger_is_better,
                float(observed.values[name][0]),
                interval,
                weighted.value,
                (weighted.low, weighted.high),
                weighted.effective_size,
                **answered_nulls(
                    name, one, float(observed.values[name][0]), draws, baseline, len(table) - len(test), len(test)
                ),
            )
        )
    fixed_levels, fixed_rows = restricted.fixed
    return Audit(
        metrics=tuple(answers),
        **vars(found),
        response=table.response_name,
        confounders=tuple(table.confounders.columns),
        features=tuple(table.X.columns),
        groups=table.groups_name,
        kind=table.kind,
        classes=table.classes,
        learner=str(learner),
        split=plan.words,
        adjustment="none",
        population="independent",
        counts={
            "rows": len(table),
            "train": len(folds[0].train),
            "test": len(test),
            "features": table.X.shape[1],
            "dropped": 0,
            "folds": 1,
            "repeats": 1,
            "groups": 0 if table.groups is None else table.groups.counts.size,
            "levels": len(mixed.labels),
            "fixed_levels": fixed_levels,
            "fixed_rows": fixed_rows,
            "flagged": observed.flagged + draws.flagged,
        },
        permutations=permutations,
        test_permutations=PERMUTATIONS,
        seed=seed,
        predictions=pd.DataFrame({"row": table.index[test], "fold": 0, "response": table.y[test], "score": scores[0]}),
        record_wise=None,
        sensitivity=None,
        notes=table.notes,
    )
