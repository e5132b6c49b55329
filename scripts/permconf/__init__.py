"""Permutation tests that detect, quantify and correct for confounding in machine learning predictions.

Reproduces and extends E. Chaibub Neto, "Using permutations to detect, quantify and correct for confounding in machine
learning predictions". The public names below are loaded when first used, so that a workflow step imports only what it
needs.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

__version__ = "0.1.0"
__all__ = [
    "Assessment",
    "AssociationTest",
    "PredictionTest",
    "ReweightedMetric",
    "algorithm2",
    "assess",
    "association_test",
    "combined",
    "combined_test",
    "conditional_shuffle",
    "conditional_test",
    "metric_values",
    "population_split",
    "prediction_test",
    "relative_to_population",
    "restricted_shuffle",
    "reweighted_metric",
    "standard_shuffle",
    "training_weights",
]
_HOMES = {
    "assess": ("Assessment", "assess"),
    "association_test": ("AssociationTest", "association_test"),
    "combined": ("combined",),
    "combined_test": ("combined_test",),
    "conditional_shuffle": ("conditional_shuffle",),
    "confounder_tests": ("algorithm2", "conditional_test"),
    "nulls": ("metric_values",),
    "population": ("population_split",),
    "population_correction": ("relative_to_population",),
    "prediction_test": ("PredictionTest", "prediction_test"),
    "reweighting": ("ReweightedMetric", "reweighted_metric", "training_weights"),
    "shuffles": ("restricted_shuffle", "standard_shuffle"),
}


def __getattr__(name):
    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"permconf.method.{module}"), name)
    raise AttributeError(f"module 'permconf' has no attribute {name!r}")


def __dir__():
    return [*__all__, "__version__"]
