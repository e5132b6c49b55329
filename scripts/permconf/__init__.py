"""Permutation tests that detect, quantify and correct for confounding in machine learning predictions.

Reproduces and extends E. Chaibub Neto, "Using permutations to detect, quantify and correct for confounding in machine
learning predictions". The functions below are loaded when first used, so that a workflow step imports only its own
part.
"""

import importlib

__version__ = "0.1.0"

_HOMES = {
    "metric_values": "nulls",
    "restricted_shuffle": "shuffles",
    "standard_shuffle": "shuffles",
    "assess": "inference",
    "Assessment": "inference",
    "population_split": "population",
    "relative_to_population": "relative",
    "algorithm2": "confounder_tests",
    "conditional_test": "confounder_tests",
    "combined_test": "links",
}
__all__ = list(_HOMES)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'permconf' has no attribute {name!r}")
    return getattr(importlib.import_module(f"permconf.{_HOMES[name]}"), name)
