"""Fingerprints of code: a workflow step is out of date when the code it uses, directly or not, has changed.

What counts is the syntax tree without docstrings, of a module and of every module of this package that it imports.
"""

import ast
from functools import cache
from hashlib import blake2b
from pathlib import Path

_PACKAGE = Path(__file__).parent


def code_digest(*modules):
    """Fingerprint of modules (paths, or names within permconf) and of what they import from permconf."""
    pending = [m if isinstance(m, Path) else _file(f"permconf.{m}") for m in modules]
    seen = set()
    while pending:
        path = pending.pop()
        if path is not None and path not in seen:
            seen.add(path)
            pending.extend(_imports(path))
    trees = sorted(_tree(path) for path in seen)
    return blake2b("\n".join(trees).encode(), digest_size=8).hexdigest()


def _file(module):
    """Source file of a module of this package, or None for any other."""
    parts = module.split(".")
    if parts[0] != "permconf":
        return None
    path = _PACKAGE.joinpath(*parts[1:])
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((c for c in candidates if c.exists()), None)


@cache
def _parsed(path):
    return ast.parse(path.read_text())


def _imports(path):
    files = []
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            files.append(_file(node.module))
            files += [_file(f"{node.module}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Import):
            files += [_file(alias.name) for alias in node.names]
    return files


@cache
def _tree(path):
    tree = _parsed(path)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            del body[0]
    return ast.dump(tree)
