"""Permutation tests that detect, quantify and correct for confounding in machine learning predictions.

Reproduces and extends E. Chaibub Neto, "Using permutations to detect, quantify and correct for confounding in machine
learning predictions". The public names below are loaded when first used, so that a workflow step imports only what it
needs.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permconf.auditing.adjustment_chart import plot_adjustments
    from permconf.auditing.answer import Audit
    from permconf.auditing.audit import audit
    from permconf.auditing.comparison import compare_adjustments
    from permconf.auditing.given_predictions import audit_predictions
    from permconf.method.assess import Assessment, assess
    from permconf.method.association_test import AssociationTest, association_test
    from permconf.method.combined import combined
    from permconf.method.combined_test import combined_test
    from permconf.method.conditional_shuffle import conditional_shuffle
    from permconf.method.confounder_tests import algorithm2, conditional_test
    from permconf.method.nulls import metric_values
    from permconf.method.population import population_split
    from permconf.method.population_correction import relative_to_population
    from permconf.method.prediction_test import PredictionTest, prediction_test
    from permconf.method.reweighting import ReweightedMetric, reweighted_metric, training_weights
    from permconf.method.shuffles import restricted_shuffle, standard_shuffle
    from permconf.method.within_bins import within_bins_test

__version__ = "1.0.0"
__all__ = [
    "Assessment",
    "AssociationTest",
    "Audit",
    "PredictionTest",
    "ReweightedMetric",
    "algorithm2",
    "assess",
    "association_test",
    "audit",
    "audit_predictions",
    "combined",
    "combined_test",
    "compare_adjustments",
    "conditional_shuffle",
    "conditional_test",
    "metric_values",
    "plot_adjustments",
    "population_split",
    "prediction_test",
    "relative_to_population",
    "restricted_shuffle",
    "reweighted_metric",
    "standard_shuffle",
    "training_weights",
    "within_bins_test",
]
_HOMES = {
    "auditing.adjustment_chart": ("plot_adjustments",),
    "auditing.answer": ("Audit",),
    "auditing.audit": ("audit",),
    "auditing.comparison": ("compare_adjustments",),
    "auditing.given_predictions": ("audit_predictions",),
    "method.assess": ("Assessment", "assess"),
    "method.association_test": ("AssociationTest", "association_test"),
    "method.combined": ("combined",),
    "method.combined_test": ("combined_test",),
    "method.conditional_shuffle": ("conditional_shuffle",),
    "method.confounder_tests": ("algorithm2", "conditional_test"),
    "method.nulls": ("metric_values",),
    "method.population": ("population_split",),
    "method.population_correction": ("relative_to_population",),
    "method.prediction_test": ("PredictionTest", "prediction_test"),
    "method.reweighting": ("ReweightedMetric", "reweighted_metric", "training_weights"),
    "method.shuffles": ("restricted_shuffle", "standard_shuffle"),
    "method.within_bins": ("within_bins_test",),
}


def __getattr__(name):
    for module, names in _HOMES.items():
        if name in names:
            importlib.import_module("permconf.method.compiling")  # announces that kernels are compiled
            return getattr(importlib.import_module(f"permconf.{module}"), name)
    raise AttributeError(f"module 'permconf' has no attribute {name!r}")


def __dir__():
    return [*__all__, "__version__"]
