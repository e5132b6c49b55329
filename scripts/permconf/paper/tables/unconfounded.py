"""The metric without confounding, by simulation: the target of the corrected metric.

For a data set of a scenario with binary response and confounder, companions are drawn with the same parameters except
that response and confounder are independent, with unchanged margins. The learner is trained on the same number of rows,
and tested on many.
"""

import numpy as np

from permconf.generators import make_generator
from permconf.learners import make_learner
from permconf.method.nulls import observed_values
from permconf.method.random_streams import Streams
from permconf.method.split import Split, encode_response
from permconf.metrics import make_metric

TEST_ROWS = 1000
COMPANIONS = 4


def without_association(parameters):
    """The parameters with (Y, C) independent, with unchanged margins."""
    y = {1: parameters["p11"] + parameters["p10"], 0: parameters["p01"] + parameters["p00"]}
    c = {1: parameters["p11"] + parameters["p01"], 0: parameters["p10"] + parameters["p00"]}
    return parameters | {f"p{i}{j}": y[i] * c[j] for i in (1, 0) for j in (1, 0)}


def unconfounded_metric(data, parameters, analysis, streams):
    """Mean of the first metric of `analysis` over COMPANIONS data sets without association."""
    generator, learner = make_generator(data["generator"]), make_learner(analysis["learner"])
    name = analysis["metrics"][0]
    metrics = {name: make_metric(name)}
    train_rows = analysis["split"]["train_size"]
    parameters = without_association(parameters) | {"n": train_rows + TEST_ROWS}
    rng = streams.rng("unconfounded")
    values = []
    for _ in range(COMPANIONS):
        X, y, c = generator.sample(rng, **parameters)
        y = np.concatenate(encode_response(y[:train_rows], y[train_rows:], metrics[name].task))
        split = Split.of(X, y, c, slice(0, train_rows), slice(train_rows, None))
        values.append(observed_values(split, learner, metrics, streams).values[name][0])
    return float(np.mean(values))


def unconfounded_metrics(data, design, analysis, *, seed):
    """Columns `dataset` and `unconfounded` for the rows of a design (a mapping of columns)."""
    rows = [{k: v[i] for k, v in design.items() if k != "dataset"} for i in range(len(design["dataset"]))]
    values = [
        unconfounded_metric(data, row, analysis, Streams(seed, data["stream"], int(number)))
        for number, row in zip(design["dataset"], rows, strict=True)
    ]
    return {"dataset": np.asarray(design["dataset"]), "unconfounded": np.array(values)}
