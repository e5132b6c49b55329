"""Every figure has a caption, and everything in it that the run fills in exists."""

import pytest
import yaml

from permconf.config import load_scenarios, read_yaml
from permconf.population import baseline_counts, share_table


@pytest.fixture(scope="module")
def root(request):
    return request.config.rootpath


def test_captions_are_filled_in_from_the_run(root):
    config = read_yaml(root / "config.yaml")
    scenarios = load_scenarios(root / config["scenario_dir"], config)
    for figure, spec in yaml.safe_load((root / "workflow/figures.yaml").read_text()).items():
        text = (root / "workflow/report" / f"{figure}.rst").read_text()
        filled = text.format(seed=config["seed"], **scenarios)
        assert "{" not in filled
        has_data = spec.get("scenarios") or spec.get("files")
        assert str(config["seed"]) in filled or not has_data, f"the caption of {figure} does not give the seed"


def test_the_size_in_the_development_scenario_is_that_of_the_baseline_sets(root):
    """The scenario has to state it; the split derives it."""
    scenarios = load_scenarios(root / "workflow/scenarios", {})
    development, baseline = scenarios["section4_development"], scenarios["section4_baseline"]
    n = development["data"]["parameters"]
    available = {(y, c): n[f"n{y}{c}"] for y in (0, 1) for c in (0, 1)}
    counts = baseline_counts(share_table(baseline["split"]["shares"]), available)
    assert sum(counts.values()) == development["split"]["test_size"] == 1467
