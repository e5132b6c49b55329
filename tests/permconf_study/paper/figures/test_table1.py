import pytest

from permconf_study.paper.figures.table1 import figure, parameter_columns, parameter_text


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (0, "0"),
        ({"range": [0.4, 0.45]}, "[0.4, 0.45]"),
        ({"integers": [200, 600]}, "{200, ..., 600}"),
        ({"values": [15, 30]}, "{15, 30}"),
        ({"equal": "p11"}, "p11"),
        ({"one_minus": ["p11", "p00"]}, "1 - p11 - p00"),
        ({"product": ["a", 2]}, "a * 2"),
    ],
)
def test_parameter_text(spec, text):
    assert parameter_text(spec) == text


def test_table_1_of_the_paper(scenarios):
    columns = parameter_columns([scenarios[f"exp{k}"] | {"datasets": 1000} for k in (1, 2, 3, 4)])
    rows = {row[0]: row[1:] for row in zip(*columns.values(), strict=True)}
    assert rows["hypotheses"] == ("H1*, H1c", "H1*, H0c", "H0*, H1c", "H0*, H0c")
    assert rows["p10"] == ("[0.05, 0.075]", "p11", "[0.05, 0.075]", "p11")
    assert rows["p01"] == ("1 - p11 - p00 - p10", "p00", "1 - p11 - p00 - p10", "p00")
    assert rows["beta"] == ("[0.1, 1]", "[0.1, 1]", "0", "0")
    assert rows["theta"] == ("[0.1, 1]", "0", "[0.1, 1]", "0")
    assert rows["n"] == ("{200, ..., 600}",) * 4
    drawn = figure(columns).axes[0].tables[0]
    assert drawn[2, 1].get_text().get_text() == "1000"
    assert drawn[6, 2].get_text().get_text() == "$p_{11}$"
