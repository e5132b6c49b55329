import numpy as np
import pytest

from permconf.permute.random_streams import Streams
from permconf_study.study.chunks import BLOCK
from permconf_study.study.design import design_block, read_design
from permconf_study.study.parameters import combinations
from permconf_study.study.tables import write_table


@pytest.fixture(scope="module")
def designs(scenarios):
    names = ("exp1", "exp2", "exp3", "exp4")
    return {name: design_block(scenarios[name]["data"], 0, Streams(20180518, name, 0)) for name in names}


@pytest.mark.parametrize(("name", "free"), [("exp1", 7), ("exp2", 5), ("exp3", 6), ("exp4", 4)])
def test_table_1(designs, name, free):
    design = designs[name]
    assert list(design["dataset"]) == list(range(BLOCK))
    assert design["n"].min() == 200
    assert design["n"].max() == 600
    total = sum(design[p] for p in ("p11", "p10", "p01", "p00"))
    np.testing.assert_allclose(total, 1)
    varying = [p for p in design if p not in ("dataset", "p01") and np.ptp(design[p]) > 0]
    assert len(varying) - (name in ("exp2", "exp4")) == free  # there p10 follows p11
    assert (np.ptp(design["beta"]) > 0) == (name in ("exp1", "exp2"))
    assert (np.ptp(design["theta"]) > 0) == (name in ("exp1", "exp3"))


def test_values_uniforms_and_derivations():
    parameters = {
        "a": {"values": [1, 2]},
        "b": {"values": [10, 20, 30]},
        "u": {"uniform": [-3, 3]},
        "s": {"sum": ["a", "b", 1]},
        "m": {"product": ["a", "b"]},
        "e": {"equal": "u"},
        "r": {"one_minus": ["a", "u"]},
        "k": 5,
    }
    d = design_block({"parameters": parameters}, 0, Streams(1, "grid", 0))
    assert list(d) == ["dataset", *parameters]
    assert {(a, b) for a, b in zip(d["a"][:6], d["b"][:6], strict=True)} == {
        (a, b) for a in (1, 2) for b in (10, 20, 30)
    }
    np.testing.assert_array_equal(d["s"], d["a"] + d["b"] + 1)
    np.testing.assert_array_equal(d["m"], d["a"] * d["b"])
    np.testing.assert_array_equal(d["e"], d["u"])
    np.testing.assert_allclose(d["r"], 1 - d["a"] - d["u"])
    assert set(d["k"]) == {5}
    assert -3 <= d["u"].min() < -2.9 < 2.9 < d["u"].max() <= 3


def design(**data):
    return design_block(data, 0, Streams(1, "rows", 0))


def test_data_sets_take_rows_in_turn_over_the_parameters():
    parameters = {"a": {"uniform": [0, 1]}, "d": {"one_minus": ["b", "c"]}, "c": 0.5}
    columns = design(parameters=parameters, rows=[{"a": 7, "b": 1}, {"b": 2}])
    assert list(columns) == ["dataset", "a", "d", "c", "b"]
    assert columns["b"][:4].tolist() == [1, 2, 1, 2]
    assert columns["b"].dtype.kind == "i"
    assert set(columns["a"][::2]) == {7}
    np.testing.assert_array_equal(columns["a"][1::2], design(parameters={"a": {"uniform": [0, 1]}})["a"][1::2])
    np.testing.assert_allclose(columns["d"][:2], [-0.5, -1.5])


def test_rows_are_crossed_with_values():
    values, rows = {"a": {"values": [1, 2]}}, [{"b": b} for b in (10, 20, 30, 40)]
    columns = design(parameters=values, rows=rows)
    cells = set(zip(columns["a"][:8].tolist(), columns["b"][:8].tolist(), strict=True))
    assert cells == {(a, b) for a in (1, 2) for b in (10, 20, 30, 40)}
    assert combinations(values, rows) == 8


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("\n7,", "\n8,"),
        lambda text: text.replace("1", "x", 40),
        lambda _text: "",
        lambda text: "\x00" * len(text),
    ],
)
def test_a_damaged_block_is_named_and_stays(tmp_path, damage):
    path = tmp_path / "000.csv"
    data = {"parameters": {"n": 20, "rho": {"uniform": [0, 1]}}}
    columns = design_block(data, 0, Streams(1, "x", 0))
    write_table(columns, path)
    for name, column in read_design(path).items():
        np.testing.assert_array_equal(column, columns[name])
    path.write_text(damage(path.read_text()))
    with pytest.raises(ValueError, match=r"000\.csv is damaged; delete it and run"):
        read_design(path)
    assert path.exists()
