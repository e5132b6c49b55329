"""Labels and styles of the tests for confounding in the figures of the stress study."""

from permconf.plotting.style import CORRECTED, POPULATION, QUANTILE_CORRECTED, RESTRICTED, STANDARD

LABELS = {
    "confounding": "paper's test",
    "algorithm2": "Algorithm 2",
    "conditional": "conditional test",
    "prediction": "prediction test",
    "combined": "combined test",
}
STYLES = {
    "confounding": {"color": STANDARD, "marker": "s"},
    "algorithm2": {"color": QUANTILE_CORRECTED, "marker": "^"},
    "conditional": {"color": RESTRICTED, "marker": "o"},
    "prediction": {"color": CORRECTED, "marker": "v"},
    "combined": {"color": POPULATION, "marker": "D", "mfc": "none", "ls": "--"},  # often hides the prediction test
}
