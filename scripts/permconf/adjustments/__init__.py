"""Adjustments for confounding: one file each, a stage between split and learner (`permconf.engine.adjustment`)."""

from permconf.engine.adjustment import Adjustment, make_adjustment

__all__ = ["Adjustment", "make_adjustment"]
