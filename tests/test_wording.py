import pytest

from permconf.wording import count, p_text


@pytest.mark.parametrize(("number", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (1200, "1,200 rows")])
def test_a_count_has_its_noun_in_the_right_number(number, text):
    assert count(number, "row") == text


@pytest.mark.parametrize(("p", "text"), [(0.25, "0.250"), (2e-5, "2e-05"), (1e-299, "1e-299"), (0.0, "< 1e-300")])
def test_a_p_value_is_never_0(p, text):
    assert p_text(p) == text
