"""Adjustments for confounding: one file each, a stage between folds and learner.

A file has the name of its adjustment and defines `ADJUSTMENT`, a class that overrides parts of `Adjustment`: `select`,
`transform`, `weights` or `adapted` (`permconf.engine.adjustment`); arguments of the class are options.
"""

from permconf.engine.adjustment import AdaptedLearner, Adjustment, make_adjustment

__all__ = ["AdaptedLearner", "Adjustment", "make_adjustment"]
