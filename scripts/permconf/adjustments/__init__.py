"""Adjustments for confounding: one file each, a stage between split and learner (`permconf.method.adjustment`)."""

from permconf.method.adjustment import Adjustment, make_adjustment

__all__ = ["Adjustment", "make_adjustment"]
