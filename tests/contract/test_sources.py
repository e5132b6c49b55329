"""Every parameter of every shipped scenario has a source: the paper, the author's later code, or our choice and why."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2] / "workflow/scenarios"
FILES = sorted(ROOT.rglob("*.yaml"))
SETTINGS = {"rows", "datasets", "split", "learner", "permutations"}
SOURCE = re.compile(r"paper, (Table|Section|Appendix|caption)|later code|our choices?: \w|as in \w")


def parameters(node, path=()):
    """Settings that a source is asked for, with the lines of the keys above them: (name, lines)."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*path, (key.value, key.start_mark.line))
            if key.value in SETTINGS or (path and path[-1][0] == "parameters"):
                yield key.value, [line for _, line in here]
            yield from parameters(value, here)


def comment_at(lines, number):
    """The comment on a line, after those on lines of their own directly above it."""
    first = number
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return " ".join(line.partition("#")[2] for line in lines[first : number + 1] if "#" in line)


def unsourced(text):
    """Settings of a scenario file without a source on their line, on that of a key above them, or at its head."""
    lines = text.splitlines()
    head = comment_at(lines, next(k for k, line in enumerate(lines) if not line.startswith("#")))
    return [
        f"{name} in line {above[-1] + 1}"
        for name, above in parameters(yaml.compose(text))
        if not any(SOURCE.search(comment) for comment in (head, *(comment_at(lines, line) for line in above)))
    ]


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_parameter_has_a_source(path):
    text = path.read_text()
    assert unsourced(text) == []
    assert not re.search(r"#.*our choice(?!s?:)", text), "our choice: say why"
