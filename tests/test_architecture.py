"""Imports between the packages of permconf point one way only, and modules import each other in no cycle."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "scripts" / "permconf"

BASE = {"errors", "registry", "markdown", "wording"}
EXTENSIONS = {"learners", "metrics", "generators", "adjustments"}
ALLOWED = {  # by package or top-level module; itself is always allowed, __main__ may import anything
    "__init__": {"method", "auditing"},
    "errors": set(),
    "markdown": set(),
    "wording": set(),
    "registry": {"errors"},
    "method": {"errors", "registry", "wording"},
    **{kind: {"method", "errors", "registry"} for kind in EXTENSIONS},
    "own_data": {"method", *BASE},
    "study": {"own_data", "method", *EXTENSIONS, *BASE},
    "plotting": BASE,
    "paper": {"study", "method", "plotting", *EXTENSIONS, *BASE},
    "auditing": {"own_data", "method", "plotting", *EXTENSIONS, *BASE},
    "operations": {"__init__", "study", "method", *EXTENSIONS, *BASE},
    "benchmarks": {"method", *EXTENSIONS, *BASE},
    "pages": {"__init__", "paper", "study", "method", "plotting", *BASE},
}

MODULES = {
    ".".join(("permconf", *path.relative_to(PACKAGE).with_suffix("").parts)): path for path in PACKAGE.rglob("*.py")
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


def room(module):
    """The package, or the top-level module, that a module is in."""
    return module.split(".")[1]


def test_imports_point_one_way():
    wrong = [
        f"{module} imports {found}"
        for module, path in MODULES.items()
        for found in imports(path)
        if (here := room(module)) != "__main__" and room(found) not in ALLOWED[here] | {here}
    ]
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize(
    "graph",
    [ALLOWED, {name: set(imports(path)) - {name} for name, path in MODULES.items()}],
    ids=["packages", "modules"],
)
def test_no_cycles(graph):
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_the_drawing_shows_what_the_code_does():
    """Extensions are one box; what everything may import, and the package itself, are left out."""
    names = {name: name for name in ALLOWED if name not in BASE | {"__init__"}} | dict.fromkeys(
        EXTENSIONS, "extensions"
    )
    pairs = {
        (names.get(room(module)), names.get(room(found))) for module in MODULES for found in imports(MODULES[module])
    }
    lines = [f"    {one} --> {other}" for one, other in sorted(pairs, key=str) if one and other and one != other]
    page = (PACKAGE.parents[1] / "docs" / "ARCHITECTURE.md").read_text()
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
