"""The drawing of the rules in docs/ARCHITECTURE.md."""

from pathlib import Path

import pytest

from permconf_study.pages import architecture

ROOT = Path(__file__).parents[3]


def test_edges_that_follow_from_others_are_left_out():
    edges = {("a", "b"), ("b", "c"), ("c", "d"), ("a", "c"), ("a", "d"), ("x", "d")}
    assert architecture.necessary(edges) == {("a", "b"), ("b", "c"), ("c", "d"), ("x", "d")}


@pytest.mark.slow
def test_the_drawing_is_current():
    """After a change of rules: permconf page architecture."""
    drawn = architecture.drawing(architecture.necessary(architecture.rule_graph()))
    assert drawn in (ROOT / "docs/ARCHITECTURE.md").read_text()
