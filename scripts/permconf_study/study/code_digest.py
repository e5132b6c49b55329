"""Fingerprints of code: a workflow step is out of date when the code it uses, directly or not, has changed.

The fingerprint covers the syntax trees of a module and of every module of this package that it imports, without
docstrings and the texts of errors and log messages, so that rewording them makes nothing out of date. Other files
(style sheets, R scripts) are included byte by byte.
"""

import ast
from functools import cache
from hashlib import blake2b, file_digest
from pathlib import Path

SCRIPTS = Path(__file__).parents[2]
_PACKAGES = ("permconf", "permconf_study")


@cache
def code_digest(*modules):
    """Fingerprint of modules (paths or dotted names), what they import of this project, and other files."""
    pending = [m if isinstance(m, Path) else _file(m) for m in modules]
    if None in pending:
        raise ValueError(f"not a module of permconf: {modules[pending.index(None)]!r}")
    seen = set()
    while pending:
        path = pending.pop()
        if path is not None and path not in seen:
            seen.add(path)
            pending.extend(_imports(path))
    trees = sorted(_tree(path) for path in seen)
    return blake2b("\n".join(trees).encode(), digest_size=8).hexdigest()


@cache
def script_digest(name):
    """Fingerprint of the script of a step by itself; what it imports is for the step to name, logs excepted."""
    return blake2b(_tree(SCRIPTS / f"{name}.py").encode(), digest_size=8).hexdigest()


def content_digest(path):
    """Fingerprint of the content of a file of the user; nothing if there is no such file."""
    path = Path(path)
    if not path.is_file():
        return ""
    state = path.stat()
    return _content(path, state.st_mtime_ns, state.st_size)


@cache
def _content(path, *_):
    with open(path, "rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=8)).hexdigest()


def _file(module):
    """Source file of a module of this package, or None for other modules."""
    parts = module.split(".")
    if parts[0] not in _PACKAGES or len(parts) == 1:  # the package itself only lists public names
        return None
    path = SCRIPTS.joinpath(*parts)
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((c for c in candidates if c.exists()), None)


@cache
def _parsed(path):
    return ast.parse(path.read_text())


@cache
def _imports(path):
    if path.suffix != ".py":
        return []
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
    """The syntax tree of a module without its texts, or the content of another file."""
    return ast.dump(_Wordless().visit(_parsed(path))) if path.suffix == ".py" else path.read_text()


class _Wordless(ast.NodeTransformer):
    """Drops docstrings, and the texts of errors, warnings and log messages."""

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return None
        called = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
        return None if called.startswith(("log.", "warnings.warn")) else self.generic_visit(node)

    def visit_Raise(self, node):
        return ast.Raise(exc=node.exc.func if isinstance(node.exc, ast.Call) else node.exc, cause=node.cause)
