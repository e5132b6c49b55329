"""Permutation tests that detect, quantify and correct for confounding in machine learning predictions.

Reproduces and extends E. Chaibub Neto, "Using permutations to detect, quantify and correct for confounding in machine
learning predictions". The public names below are loaded when first used, so that a workflow step imports only what it
needs.
"""

import importlib
from typing import TYPE_CHECKING

from permconf.errors import nearest

if TYPE_CHECKING:  # the same names for type checkers, to which "a as a" makes a name public
    from permconf.adjusted import AdjustedClassifier as AdjustedClassifier
    from permconf.adjusted import AdjustedRegressor as AdjustedRegressor
    from permconf.auditing.adjustment_chart import plot_adjustments as plot_adjustments
    from permconf.auditing.answer import Audit as Audit
    from permconf.auditing.audit import audit as audit
    from permconf.auditing.comparison import compare_adjustments as compare_adjustments
    from permconf.auditing.given_predictions import audit_predictions as audit_predictions
    from permconf.engine.evaluate import metric_values as metric_values
    from permconf.engine.population import population_split as population_split
    from permconf.examples import example as example
    from permconf.inference.assess import Assessment as Assessment
    from permconf.inference.assess import assess as assess
    from permconf.inference.association_test import AssociationTest as AssociationTest
    from permconf.inference.association_test import association_test as association_test
    from permconf.inference.combined import combined as combined
    from permconf.inference.confounder_tests import algorithm2 as algorithm2
    from permconf.inference.confounder_tests import combined_test as combined_test
    from permconf.inference.confounder_tests import conditional_test as conditional_test
    from permconf.inference.population_correction import relative_to_population as relative_to_population
    from permconf.inference.prediction_test import PredictionTest as PredictionTest
    from permconf.inference.prediction_test import prediction_test as prediction_test
    from permconf.inference.within_bins import within_bins_test as within_bins_test
    from permconf.permute.conditional import conditional_shuffle as conditional_shuffle
    from permconf.permute.shuffles import restricted_shuffle as restricted_shuffle
    from permconf.permute.shuffles import standard_shuffle as standard_shuffle
    from permconf.reweight.metric import ReweightedMetric as ReweightedMetric
    from permconf.reweight.metric import overlap_metric as overlap_metric
    from permconf.reweight.metric import reweighted_metric as reweighted_metric
    from permconf.reweight.metric import training_weights as training_weights
    from permconf.reweight.metric import within_metric as within_metric
    from permconf.versions import show_versions as show_versions

__version__ = "1.0.0"
_HOMES = {  # the public names, by the module that defines them
    "adjusted": ("AdjustedClassifier", "AdjustedRegressor"),
    "auditing.adjustment_chart": ("plot_adjustments",),
    "auditing.answer": ("Audit",),
    "auditing.audit": ("audit",),
    "auditing.comparison": ("compare_adjustments",),
    "auditing.given_predictions": ("audit_predictions",),
    "engine.evaluate": ("metric_values",),
    "engine.population": ("population_split",),
    "examples": ("example",),
    "inference.assess": ("Assessment", "assess"),
    "inference.association_test": ("AssociationTest", "association_test"),
    "inference.combined": ("combined",),
    "inference.confounder_tests": ("algorithm2", "combined_test", "conditional_test"),
    "inference.population_correction": ("relative_to_population",),
    "inference.prediction_test": ("PredictionTest", "prediction_test"),
    "inference.within_bins": ("within_bins_test",),
    "permute.conditional": ("conditional_shuffle",),
    "permute.shuffles": ("restricted_shuffle", "standard_shuffle"),
    "reweight.metric": (
        *("ReweightedMetric", "overlap_metric", "reweighted_metric", "training_weights", "within_metric"),
    ),
    "versions": ("show_versions",),
}
__all__ = sorted(name for names in _HOMES.values() for name in names)
_KINDS = ("adjustments", "generators", "learners", "metrics")  # packages whose modules are the names that one can give
_HINTS = {  # for names that people try from habit
    **dict.fromkeys(("partial_confound_test", "full_confound_test"), "prediction_test is the test of that kind here"),
    **dict.fromkeys(("audit_cv", "cross_val_audit"), "audit(..., cv=5) has folds"),
    **dict.fromkeys(("ConfoundAudit", "Auditor", "ConfounderAudit"), "audit(...) is a function; it returns an Audit"),
    **{f"list_{kind}": f"permconf.registry.names({kind!r}) lists them" for kind in _KINDS},
    **dict.fromkeys(("load", "read_csv", "load_data"), "audit takes a DataFrame, such as that of pandas.read_csv"),
    **dict.fromkeys(("datasets", "load_example"), "example() is a small table to try things on"),
    **dict.fromkeys(("plot_audit", "plot"), "audit(...).plot() draws an audit"),
    **dict.fromkeys(("permutation_test", "test"), "prediction_test tests predictions, audit a learner and its data"),
}


def __getattr__(name):
    for module, names in _HOMES.items():
        if name in names:
            importlib.import_module("permconf.compiling")  # announces that kernels are compiled
            return getattr(importlib.import_module(f"permconf.{module}"), name)
    if name in _KINDS:
        return importlib.import_module(f"permconf.{name}")
    hint = "" if name.startswith("_") else f"; {_HINTS[name]}" if name in _HINTS else nearest(name, __all__)
    raise AttributeError(f"module 'permconf' has no attribute {name!r}{hint}")


def __dir__():
    return [*__all__, "__version__"]
