import pytest

from permconf_study.markdown import filled

PAGE = "before\n<!-- table: a -->\nold\n<!-- end -->\nbetween\n<!-- table: b -->\nkept\n<!-- end -->\nafter\n"


def test_marked_parts_are_updated_and_all_else_is_kept():
    page = filled(PAGE, {"a": r"new \1", "b": None})
    assert page == PAGE.replace("old", r"new \1")
    assert filled(page, {"a": "old", "b": None}) == PAGE


def test_an_unknown_part_is_an_error():
    with pytest.raises(ValueError, match="unknown part 'b' in the page; known parts: a"):
        filled(PAGE, {"a": "x"})
