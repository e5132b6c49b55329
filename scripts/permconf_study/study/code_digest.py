"""Fingerprints of code: a step is out of date when code that it uses, directly or not, has changed.

The fingerprint covers the syntax trees of a file and of everything that it imports from this project or from the user's
own modules, without docstrings and the texts of errors and log messages, so that rewording them makes nothing out of
date. Installed packages do not count. Other files (style sheets, tables) are included byte by byte.
"""

import ast
import sysconfig
from functools import cache
from hashlib import blake2b, file_digest
from importlib.util import find_spec
from pathlib import Path

from permconf import registry

SCRIPTS = Path(__file__).parents[2]
_PACKAGES = ("permconf", "permconf_study")
_digested: set[Path] = set()
_BOOKKEEPING = ("part_logs", "processes", "fingerprints", "code_digest", "versions")  # they compute no result
_INSTALLED = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]


@cache
def step_code(step, *more, plugins=None, without=()):
    """Fingerprint of the code of a step: its script, what that imports, other files or modules, and its plugins.

    `plugins` are pairs such as ("learners", "logistic"). A step that does not name them, but can load any, depends on
    all of them. Modules that the step can do without are not followed.
    """
    kept = [f"permconf_study/study/{name}.py" for name in _BOOKKEEPING]
    unused = frozenset(SCRIPTS / name for name in (*without, *kept))
    files = imported(SCRIPTS / f"{step}.py", *more, unused=unused)
    if plugins is None and Path(registry.__file__) in files:
        plugins = tuple((kind, name) for kind in registry.KINDS for name in registry.names(kind))
    return digest_of(imported(*files, *(plugin_file(*plugin) for plugin in plugins or ()), unused=unused))


def plugin_file(kind, name):
    """The file of a plugin, or the module of a dotted name, with the plugin that wraps it."""
    wrapper = {"learners": "estimator", "metrics": "scorer"}.get(kind)
    return registry.path_of(kind, name) or (registry.path_of(kind, wrapper), name.rpartition(".")[0])


def imported(*roots, unused=frozenset()):
    """Files and modules (by dotted name), with every file of the project or of the user that they import."""
    pending, seen = list(roots), set()
    while pending:
        root = pending.pop()
        if isinstance(root, tuple):
            pending.extend(root)
        elif isinstance(root, str):
            pending.extend(_sources(root))
        elif root not in seen and root not in unused:
            seen.add(root)
            pending.extend(_imports(root))
    return frozenset(seen)


def digest_of(files):
    """Fingerprint of files."""
    return blake2b("\n".join(sorted(map(_tree, files))).encode(), digest_size=8).hexdigest()


def imported_state():
    """Times and sizes of all files whose code was digested by this process: they change when a file is edited."""
    return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in _digested if path.exists()}


def content_digest(path):
    """Fingerprint of the content of a file; nothing if there is no such file."""
    path = Path(path)
    if not path.is_file():
        return ""
    state = path.stat()
    return _content(path, state.st_mtime_ns, state.st_size)


@cache
def _content(path, *_):
    with open(path, "rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=8)).hexdigest()


@cache
def _sources(module):
    """The files of a module of the project or of the user and of the packages around it; none if it is installed."""
    top, *rest = module.split(".")
    folder = SCRIPTS if top in _PACKAGES else _folder_of(top)
    if folder is None or module in _PACKAGES:  # the packages themselves only list public names
        return []
    paths = [folder.joinpath(top, *rest[:depth]) for depth in range(1 if top in _PACKAGES else 0, len(rest) + 1)]
    found = [file for path in paths for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()]
    public_name = top in _PACKAGES and len(rest) == 1 and not found  # from permconf import assess
    return [SCRIPTS / top / "__init__.py"] if public_name else found


def _folder_of(top):
    """The folder that holds a module or package of the user's; None if it is installed, or not there."""
    spec = find_spec(top) if top else None
    if spec is None or not spec.origin or spec.origin in ("built-in", "frozen"):
        return None
    path = Path(spec.origin).resolve()
    if any(path.is_relative_to(folder) for folder in _INSTALLED):
        return None
    return path.parents[1] if spec.submodule_search_locations else path.parent


@cache
def _parsed(path):
    """The syntax tree of a file; None if it is not Python, or cannot be imported either."""
    _digested.add(path)
    try:
        return ast.parse(path.read_text()) if path.suffix == ".py" else None
    except (SyntaxError, ValueError):
        return None


@cache
def _imports(path):
    """The files that a file imports."""
    files: list[Path] = []
    for node in ast.walk(tree) if (tree := _parsed(path)) else ():
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            names = [folder, *(folder / alias.name for alias in node.names)]
            files += [f for name in names for f in (name.with_suffix(".py"), name / "__init__.py") if f.is_file()]
        elif isinstance(node, ast.ImportFrom):
            for module in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                files += _sources(module)
        elif isinstance(node, ast.Import):
            files += [file for alias in node.names for file in _sources(alias.name)]
    return files


@cache
def _tree(path):
    """The syntax tree of a module without its texts, or the content of another file."""
    return _dump(_Wordless().visit(tree)) if (tree := _parsed(path)) else path.read_text(errors="replace")


def _dump(node):
    """A syntax tree as text, the same for all versions of Python: `ast.dump` writes empty fields in some of them."""
    if isinstance(node, ast.AST):
        fields = [f"{name}={_dump(value)}" for name, value in ast.iter_fields(node) if value not in (None, [])]
        return f"{type(node).__name__}({','.join(fields)})"
    return f"[{','.join(map(_dump, node))}]" if isinstance(node, list) else repr(node)


class _Wordless(ast.NodeTransformer):
    """Drops docstrings, and the texts of errors, warnings and log messages."""

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return None
        called = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
        return None if called.startswith(("log.", "warnings.warn")) else self.generic_visit(node)

    def visit_Raise(self, node):
        return ast.Raise(exc=node.exc.func if isinstance(node.exc, ast.Call) else node.exc, cause=node.cause)
