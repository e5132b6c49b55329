"""docs/ARCHITECTURE.md: the graph of the rules behind `make`, from `snakemake --rulegraph`."""

import re
import subprocess
import sys
from pathlib import Path

from permconf_study.study.paths import HOME

Edges = set[tuple[str, str]]


def parts(_results: Path, _page: Path) -> dict[str, str | None]:
    """The only part: the graph."""
    return {"rules": drawing(necessary(rule_graph()))}


def rule_graph() -> Edges:
    """Pairs of rules, of which the second reads files of the first."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(HOME / "Snakefile"), "--rulegraph", "mermaid-js"]
    done = subprocess.run([*command, "--quiet"], capture_output=True, text=True, check=True)
    names = dict(re.findall(r"^\s*(\w+)\[(\w+)\]$", done.stdout, re.MULTILINE))
    return {(names[one], names[other]) for one, other in re.findall(r"^\s*(\w+) --> (\w+)$", done.stdout, re.MULTILINE)}


def necessary(edges: Edges) -> Edges:
    """The edges that do not follow from others: those without a longer way from their start to their end."""

    def reached(start: str) -> set[str]:
        following = {other for one, other in edges if one == start}
        return following.union(*(reached(rule) for rule in following))

    beyond = {one: set().union(*(reached(other) for first, other in edges if first == one)) for one, _ in edges}
    return {(one, other) for one, other in edges if other not in beyond[one]}


def drawing(edges: Edges) -> str:
    """The graph in the language of Mermaid."""
    return "\n".join(["```mermaid", "graph LR", *(f"    {one} --> {other}" for one, other in sorted(edges)), "```"])
