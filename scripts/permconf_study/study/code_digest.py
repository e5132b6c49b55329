"""Fingerprints of code: a step is out of date when code that it uses, directly or not, has changed.

The fingerprint covers the syntax trees of a file and of everything that it imports from this project or from the user's
own modules, without docstrings and the texts of errors and log messages, so that rewording them makes nothing out of
date. Installed packages do not count. Other files (style sheets, tables) are included byte by byte.

To parse every module takes a quarter of a second, so a run keeps what it found for its steps, by the time and the size
of each file.
"""

import ast
import json
import sysconfig
from functools import cache
from hashlib import blake2b, file_digest
from importlib.util import find_spec
from pathlib import Path

from permconf import registry
from permconf_study.study.tables import written_whole

SCRIPTS = Path(__file__).parents[2]
KEPT = Path("results/made/code")  # what the head process of a run has found, in its folder
_PACKAGES = ("permconf", "permconf_study")
_digested: set[Path] = set()
_BOOKKEEPING = (  # they compute no result
    *(f"permconf_study/study/{name}.py" for name in ("part_logs", "processes", "fingerprints", "code_digest")),
    *("permconf/versions.py", "permconf/results.py"),
)
_INSTALLED = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]


@cache
def step_code(step, *more, plugins=None, without=()):
    """Fingerprint of the code of a step: its script, what that imports, other files or modules, and its plugins.

    `plugins` are pairs such as ("learners", "logistic"). A step that does not name them, but can load any, depends on
    all of them. Modules that the step can do without are not followed.
    """
    unused = frozenset(SCRIPTS / name for name in (*without, *_BOOKKEEPING))
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
    return _digest("\n".join(sorted(_read(path)[0] for path in files)))


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
def _imports(path):
    """The files that a file imports."""
    files: list[Path] = []
    for level, module, names in _read(path)[1]:
        if level:
            folder = path.parents[level - 1].joinpath(*module.split("."))
            places = [folder, *(folder / name for name in names)]
            files += [f for place in places for f in (place.with_suffix(".py"), place / "__init__.py") if f.is_file()]
        else:
            files += [file for one in (module, *(f"{module}.{name}" for name in names)) for file in _sources(one)]
    return files


def keep_code():
    """Keep what was found about all files for the steps of this run."""
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(KEPT) as temporary:
        temporary.write_text(json.dumps({_state(path): _read(path) for path in _digested if path.exists()}))


@cache
def _kept():
    try:
        return json.loads(KEPT.read_text())
    except (OSError, ValueError):
        return {}


def _state(path):
    state = path.stat()
    return f"{path} {state.st_mtime_ns} {state.st_size}"


@cache
def _read(path):
    """Fingerprint of a module without its texts (or of the content of another file), and what it imports."""
    _digested.add(path)
    return _kept().get(_state(path)) or _parsed(path)


def _parsed(path):
    """What `_read` finds in a file; imports are triples of level, module and names."""
    try:
        tree = ast.parse(path.read_text()) if path.suffix == ".py" else None
    except (SyntaxError, ValueError):  # it cannot be imported either
        tree = None
    if tree is None:
        return [_digest(path.read_text(errors="replace")), []]
    imports: list[list] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imports.append([node.level, node.module or "", [alias.name for alias in node.names]])
        elif isinstance(node, ast.Import):
            imports += [[0, alias.name, []] for alias in node.names]
    return [_digest(_dump(_Wordless().visit(tree))), imports]


def _digest(text):
    return blake2b(text.encode(), digest_size=8).hexdigest()


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
