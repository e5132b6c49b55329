"""Metrics: one file each. A metric maps (Y_test[m, b], scores[m, b]) to values[b]."""

from permconf.method.contracts import Metric, Moments, make_metric

__all__ = ["Metric", "Moments", "make_metric"]
