"""Share of test rows whose class is predicted."""

from permconf.metrics import Metric, predicted_classes

METRIC = Metric.of_rows(lambda Y, scores: predicted_classes(scores) == Y, task="classification", link="logit")
