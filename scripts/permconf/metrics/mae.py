"""Mean absolute error."""

from permconf.metrics import Metric

METRIC = Metric.of_rows(lambda Y, scores: abs(Y - scores), task="regression", larger_is_better=False, link="log")
