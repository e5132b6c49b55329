"""The scenarios of Section 4 belong together."""

from permconf.engine.population import population_counts, share_table
from permconf_study.study.scenario import load_scenarios


def test_the_development_test_set_has_the_size_that_the_baseline_sets_get(request):
    """The development scenario has to state the size; the population split derives it."""
    scenarios = load_scenarios(request.config.rootpath / "workflow" / "scenarios", {})
    development, baseline = scenarios["section4_development"], scenarios["section4_baseline"]
    n = development["data"]["parameters"]
    available = {(y, c): n[f"n{y}{c}"] for y in (0, 1) for c in (0, 1)}
    counts = population_counts(share_table(baseline["split"]["shares"]), available)
    assert sum(counts.values()) == development["split"]["test_size"] == 1467
