"""Imports between the packages of permconf point one way only, and modules import each other in no cycle."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from permconf_study.pages.architecture import necessary

SCRIPTS = Path(__file__).parents[1] / "scripts"

BASE = {"errors", "options", "registry", "wording", "compiling", "keywords", "expressions", "results", "versions"}
EXTENSIONS = {"learners", "metrics", "generators", "adjustments"}
METHOD = {"data", "permute", "engine", *BASE}
LIBRARY = {*METHOD, "inference", "reweight", "theory", "plotting", *EXTENSIONS}
ALLOWED = {  # by package or top-level module; itself is always allowed
    "errors": set(),
    **{name: {"errors"} for name in BASE - {"errors"}},
    "plotting": BASE,
    "data": BASE,
    "permute": {"data", *BASE},
    "engine": METHOD,
    "theory": {"data", *BASE},
    "inference": METHOD,
    "reweight": METHOD,
    **dict.fromkeys(EXTENSIONS, METHOD),
    "adjustments": {*METHOD, "reweight"},
    "adjusted": {*METHOD, "learners"},
    "auditing": LIBRARY,
    "examples": BASE,
    "__init__": {"auditing", "adjusted", "examples", *LIBRARY},
    "__main__": {"__init__", *BASE},
    "study": LIBRARY,
    "markdown": set(),
    "paper": {"study", "markdown", *LIBRARY},
    "pages": {"paper", "study", "markdown", "__init__", *LIBRARY},
    "commands": {"study", "pages", "markdown", "__init__", "__main__", *LIBRARY},
    "benchmarks": {"markdown", "__init__", *LIBRARY},
}

MODULES = {
    ".".join(path.relative_to(SCRIPTS).with_suffix("").parts): path
    for package in ("permconf", "permconf_study")
    for path in (SCRIPTS / package).rglob("*.py")
}


def imports(path):
    """Modules of permconf that a file imports, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from filter(None, map(module_of, names))


def module_of(name):
    """The module of permconf that holds a dotted name, if one does."""
    while name:
        for module in (name, f"{name}.__init__"):
            if module in MODULES:
                return module
        name = name.rpartition(".")[0]
    return None


def package(module):
    """The package, or the top-level module, that a module is in."""
    return module.split(".")[1]


def test_imports_point_one_way():
    wrong = [
        f"{module} imports {found}"
        for module, path in MODULES.items()
        for found in imports(path)
        if (here := package(module)) != package(found) and package(found) not in ALLOWED.get(here, set())
    ]
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize(
    "graph",
    [
        {name: used - {name} for name, used in ALLOWED.items()},
        {name: set(imports(path)) - {name} for name, path in MODULES.items()},
    ],
    ids=["packages", "modules"],
)
def test_no_cycles(graph):
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_the_drawing_shows_what_the_code_does():
    """Extensions are one box; what everything may import, and arrows that follow from others, are left out."""
    left_out = BASE | {"__init__", "__main__", "examples", "markdown"}
    names = {name: name for name in ALLOWED if name not in left_out} | dict.fromkeys(EXTENSIONS, "extensions")
    packages = [(package(module), package(found)) for module in MODULES for found in imports(MODULES[module])]
    pairs = {(names.get(one), names.get(other)) for one, other in packages}
    shown = necessary({(one, other) for one, other in pairs if one and other and one != other})
    lines = [f"    {one} --> {other}" for one, other in sorted(shown)]
    page = (SCRIPTS.parent / "docs" / "ARCHITECTURE.md").read_text()
    drawing = "\n".join(["```mermaid", "graph BT", *lines, "```"])
    assert drawing in page, f"docs/ARCHITECTURE.md should have\n{drawing}"


def test_public_functions_are_annotated():
    import inspect

    import permconf

    functions = [getattr(permconf, name) for name in permconf.__all__ if inspect.isfunction(getattr(permconf, name))]
    assert len(functions) >= 9
    for function in functions:
        signature = inspect.signature(function)
        assert signature.return_annotation is not signature.empty, function
        assert all(p.annotation is not p.empty for p in signature.parameters.values()), function
    assert set(permconf.__all__) <= set(dir(permconf))
