"""Mean squared error."""

from permconf.metrics import Metric

METRIC = Metric.of_rows(lambda Y, scores: (Y - scores) ** 2, task="regression", larger_is_better=False, link="log")
