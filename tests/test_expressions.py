import numpy as np
import pytest

from permconf.expressions import condition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("beta != 0", [False, True, True]),
        ("beta > 0 and theta == 0", [False, True, False]),
        ("not (beta > 0 or theta < 0)", [True, False, False]),
        ("0 < abs(beta - theta) <= 1", [False, True, False]),
        ("kind == 'weak'", True),
        ("kind in ('strong', 'weak') and beta not in (0, 1)", [False, True, False]),
    ],
)
def test_conditions_hold_row_by_row(text, expected):
    values = {"beta": np.array([0.0, 0.5, 1.0]), "theta": np.array([0.0, 0.0, -2.0]), "kind": "weak"}
    np.testing.assert_array_equal(condition(text, values)(values), expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("betta != 0", "unknown name 'betta', did you mean 'beta'"),
        ("beta !=", "is no expression"),
        ("beta.real > 0", "unknown name 'beta.real'"),
        ("beta().x > 0", "unknown name"),
        ("__import__('os')", "unknown name '__import__'"),
        ("abs(beta, 1) > 0", "has more than"),
        ("[beta][0] > 0", "has more than"),
        ("beta ** 9 ** 9", "has more than"),
        ("(lambda: 1)()", "has more than"),
        ("beta in 5", "has more than"),
    ],
)
def test_nothing_else_is_evaluated(text, message):
    with pytest.raises(ValueError, match=message):
        condition(text, ["beta"])
