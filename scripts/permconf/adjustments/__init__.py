"""Adjustments for confounding: one file each, a stage between the split and the learner (`permconf.method.adjustment`)."""

from permconf.method.adjustment import Adjustment, make_adjustment

__all__ = ["Adjustment", "make_adjustment"]
