import pytest

from permconf_study.study.parameters import bounds, check_parameter, combinations

PARAMETERS = {
    "a": {"range": [0.1, 0.2]},
    "b": 0.5,
    "c": {"one_minus": ["a", "b"]},
    "d": {"values": [-1, 2]},
    "e": {"product": ["a", "d"]},
}


@pytest.mark.parametrize(
    ("name", "ends"), [("a", (0.1, 0.2)), ("b", (0.5, 0.5)), ("c", (0.3, 0.4)), ("d", (-1, 2)), ("e", (-0.2, 0.4))]
)
def test_bounds(name, ends):
    assert bounds(PARAMETERS[name], PARAMETERS) == pytest.approx(ends)


def test_combinations():
    assert combinations(PARAMETERS) == 2
    assert combinations({"n": 3}) == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"range": [0.5, 0.2]}, r"data.parameters.x.range must go from low to high, not \[0.5, 0.2\]"),
        ({"range": [1]}, "must be two numbers"),
        ({"integers": [1, 2.5]}, "must be two whole numbers"),
        ({"rnage": [0, 1]}, "unknown 'rnage', did you mean 'range'?"),
        ({"values": []}, "must be a list of numbers"),
        ({"sum": ["a", "zz"]}, "'zz' is not a parameter"),
        ({"sum": ["a", "c"]}, "'c' is not a parameter given by number or range"),
        ({"range": [0, 1], "values": [1]}, "must be a number or one of"),
        ("text", "must be a number or one of"),
        (True, "must be a number or one of"),
    ],
)
def test_wrong_parameters_are_named(spec, message):
    with pytest.raises(ValueError, match=message):
        check_parameter("x", spec, PARAMETERS)
