from permconf_study.paper.tables import seed_spread


def test_only_monte_carlo_moves_the_prediction_test(monkeypatch):
    monkeypatch.setattr(seed_spread, "DATASETS", 2)
    monkeypatch.setattr(seed_spread, "SEEDS", 6)
    table = seed_spread.spread_table().set_index("test")
    prediction = table.loc["prediction, 9,999 permutations"]
    assert prediction["largest_sd"] < 3 * prediction["monte_carlo"] < 0.02
    assert table.loc["conditional, 999 shuffles, 2 inner draws"]["median_sd"] > prediction["largest_sd"]
