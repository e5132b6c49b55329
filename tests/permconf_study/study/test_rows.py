"""Scenarios that list their data sets' parameters as rows."""

import numpy as np
import pytest
import yaml

from permconf.errors import ConfigError
from permconf.permute.random_streams import Streams
from permconf_study.study.design import design_block
from permconf_study.study.parameters import combinations
from permconf_study.study.scenario import load_scenarios

ROWS = [{"n11": 45, "n10": 5, "n01": 5, "n00": 45}, {"n11": 25, "n10": 25, "n01": 25, "n00": 25, "beta": 0}]
SCENARIO = {
    "title": "a test",
    "data": {
        "generator": "cell_counts_gaussian",
        "parameters": {"beta": 1, "theta": 0.5, "rho": 0.5},
        "rows": ROWS,
        "datasets": 2,
    },
    "learner": "ridge_logistic",
    "metrics": ["auc"],
}
BERNOULLI = {"n": 100, "p10": 0.1, "p01": 0.1, "beta": 0, "theta": 0, "rho": 0}


@pytest.fixture
def load(tmp_path):
    """Load SCENARIO with some of its data changed."""

    def scenario(config=None, **data):
        content = SCENARIO | {"data": SCENARIO["data"] | data}
        (tmp_path / "x.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
        return load_scenarios(tmp_path, config or {})["x"]

    return scenario


def design(**data):
    return design_block(data, 0, Streams(1, "rows", 0))


def test_data_sets_take_the_rows_in_turn_over_the_parameters(load):
    columns = design(**load()["data"])
    assert list(columns)[:4] == ["dataset", "beta", "theta", "rho"]
    assert columns["n11"][:4].tolist() == [45, 25, 45, 25]
    assert columns["beta"][:4].tolist() == [1, 0, 1, 0]
    assert set(columns["theta"]) == {0.5}
    assert columns["n11"].dtype.kind == "i"


def test_rows_are_crossed_with_values():
    values, rows = {"a": {"values": [1, 2]}}, [{"b": b} for b in (10, 20, 30, 40)]
    columns = design(parameters=values, rows=rows)
    cells = set(zip(columns["a"][:8].tolist(), columns["b"][:8].tolist(), strict=True))
    assert cells == {(a, b) for a in (1, 2) for b in (10, 20, 30, 40)}
    assert combinations(values, rows) == 8


def test_parameters_can_be_derived_from_what_rows_give():
    parameters = {"p00": {"one_minus": ["p11", "p10"]}, "p10": 0.1}
    columns = design(parameters=parameters, rows=[{"p11": 0.2}, {"p11": 0.5}])
    np.testing.assert_allclose(columns["p00"][:2], [0.7, 0.4])


def test_a_spread_parameter_is_kept_where_a_row_does_not_replace_it():
    columns = design(parameters={"a": {"uniform": [0, 1]}}, rows=[{"a": 7, "b": 1}, {"b": 2}])
    alone = design(parameters={"a": {"uniform": [0, 1]}})
    assert set(columns["a"][::2]) == {7}
    np.testing.assert_array_equal(columns["a"][1::2], alone["a"][1::2])


def test_one_data_set_per_row_keeps_its_number_whatever_the_override(load):
    assert load({"datasets": 20})["datasets"] == 2
    assert load({"datasets": 20}, datasets=50)["datasets"] == 20
    assert load({"datasets": 1}, datasets=50)["datasets"] == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"rows": []}, "x.yaml: data.rows must be a list of mappings of parameter names to numbers, not []"),
        ({"rows": [{"n11": "many"}]}, "x.yaml: data.rows.0.n11 must be a number, not 'many'"),
        ({"rows": [*ROWS, {"n12": 3}]}, "x.yaml: data.rows.2: unknown parameter 'n12', did you mean 'n11'?"),
        ({"rows": [ROWS[0], {"n11": 5}]}, "x.yaml: data.rows.1 lacks 'n10', which other rows give"),
        ({"rows": [{"beta": 1}]}, "x.yaml: data.rows.0: generator 'cell_counts_gaussian' needs 'n11'"),
        ({"datasets": 1}, "x.yaml: data.datasets is 1, fewer than the 2 combinations"),
        (
            {"parameters": {"beta": {"equal": "rho"}, "theta": 0.5, "rho": 0.5}},
            "x.yaml: data.rows gives 'beta', which data.parameters derives from others",
        ),
        (
            {
                "generator": "bernoulli_gaussian",
                "parameters": BERNOULLI,
                "rows": [{"p11": 0.4, "p00": 0.4}, {"p11": 0.4, "p00": 0.5}],
            },
            "x.yaml: data.rows.1: probabilities p11, p10, p01, p00 cannot sum to one (their sum is 1.1 to 1.1)",
        ),
        (
            {
                "generator": "bernoulli_gaussian",
                "parameters": BERNOULLI | {"p11": 0.4, "p00": 0.4},
                "rows": [{"n": 100}, {"n": 3}],
            },
            "x.yaml: data.rows.1.n is too small to split: 3",
        ),
    ],
)
def test_rows_that_cannot_be_used_are_named(load, data, message):
    with pytest.raises(ConfigError) as caught:
        load(**data)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
