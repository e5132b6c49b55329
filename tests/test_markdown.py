import pytest

from permconf_study.markdown import excerpt, filled, table, update

PAGE = "before\n<!-- table: a -->\nold\n<!-- end -->\nbetween\n<!-- table: b -->\nkept\n<!-- end -->\nafter\n"


def test_a_table_has_a_line_per_row():
    assert table(["x", "y"], [[1, "2"], ["a|b", None]]) == "| x | y |\n| --- | --- |\n| 1 | 2 |\n| a\\|b | None |"


def test_marked_parts_are_updated_and_all_else_is_kept():
    page = filled(PAGE, {"a": r"new \1", "b": None})
    assert page == PAGE.replace("old", r"new \1")
    assert filled(page, {"a": "old", "b": None}) == PAGE


def test_an_unknown_part_is_an_error():
    with pytest.raises(ValueError, match="unknown part 'b' in the page; known parts: a"):
        filled(PAGE, {"a": "x"})


def test_a_file_is_updated(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    assert update(page, {"a": "new", "b": None, "c": "nowhere"}) == ["a"]
    assert page.read_text() == PAGE.replace("old", "new")


def test_an_excerpt_has_chosen_rows_and_columns():
    full = table(["x", "y", "z"], [[1, "a|b", ""], [2, "c", "d"], [3, "e", "f"]])
    assert excerpt(full, lambda t: t[t["x"] != "2"].drop(columns="z")) == table(["x", "y"], [[1, "a|b"], [3, "e"]])
