"""Metrics of weighted rows: weights, intervals, and the metric itself."""
