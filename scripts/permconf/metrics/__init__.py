"""Metrics: one file each. A metric maps (Y_test[m, b], scores[m, b]) to values[b], for b responses at once.

In classification Y holds class codes 0, 1, ... (uint8). With two classes a positive score predicts class 1. A metric
with `needs="probabilities"` gets probabilities of class 1 instead, and one with `needs="order"` gets scores on any
increasing scale. With K > 2 classes scores are (m, b, K), and the class with the largest score is predicted. In
regression Y and scores are numbers. Where a metric is not defined its value is NaN.

A file has the name of its metric and defines it, for example as

    METRIC = Metric(values, task="classification", weighted=weighted, link="logit")

where `weighted(y, scores, weights[m, b])` is the metric of one response with row weights, and `link` the scale of
intervals: "logit" for a share, "log" for a positive number, "fisher" for a correlation. `Metric.of_rows(rows, ...)`
makes both of what `rows(Y, scores)` gives for every row. `predicted_classes(scores)` gives class codes. `Metric`
explains all options.

With more than two classes `auc` and `average_precision` are means over classes, each against the rest, and `f1` is the
mean over classes (scikit-learn's "macro" averages). `log_loss` and `brier` need a learner that gives probabilities.

Besides the files here, a metric may be the name of a scikit-learn scorer, a scorer, or a function (see `scorer`).
"""

from permconf.engine.contracts import Metric, Moments, make_metric, metric_name
from permconf.engine.scores import predicted_classes

__all__ = ["Metric", "Moments", "make_metric", "metric_name", "predicted_classes"]
