"""The command line: `permconf COMMAND`. A command's module is imported only when the command runs."""

import argparse
import importlib
import locale
import os
import re
import signal
import sys
from importlib.metadata import entry_points

from permconf import __version__
from permconf.errors import SYSTEM_ERRORS, ConfigError, describe_system_error, meant

DESCRIPTION = "Tests for confounding in predictions, and the simulation study that evaluates them."
CANNOT_KEEP_KERNELS = (
    "compiled kernels cannot be kept, because neither the package nor the home folder can be written;"
    " set NUMBA_CACHE_DIR to a folder that can"
)
EXAMPLE = (
    "permconf audit patients.csv --response diagnosis --confounders sex age site\n"
    "  permconf audit patients.csv --response diagnosis --confounders site --groups patient --cv 5\n"
    "  permconf audit scored.parquet --response diagnosis --confounders site --predictions score"
)


def parser():
    """The parser of all commands: `audit`, and those of installed packages (entry points `permconf.commands`)."""
    top = argparse.ArgumentParser(prog="permconf", description=DESCRIPTION)
    top.add_argument("--version", action="version", version=f"permconf {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_audit(commands)
    for entry in entry_points(group="permconf.commands"):
        entry.load()(commands)
    return top


def _add_audit(commands):
    summary = "audit a model on your own data, or its predictions, for confounding"
    audit = command(commands, "audit", summary, "permconf.auditing.command", EXAMPLE)
    audit.add_argument("file", metavar="FILE", help="table: .csv, .tsv or .parquet, also with .gz; - for CSV on stdin")
    audit.add_argument("--response", required=True, metavar="COL", help="column to predict: classes or numbers")
    audit.add_argument("--positive", metavar="CLASS", help="of two classes, the one that larger scores stand for")
    columns = {"nargs": "+", "metavar": "COL"}
    audit.add_argument("--confounders", required=True, help="columns that may confound the predictions", **columns)
    audit.add_argument("--levels", help="confounders whose distinct values are levels, such as site codes", **columns)
    audit.add_argument("--smooth", help="numeric confounders that act smoothly, such as age", **columns)
    pairs = {"nargs": "+", "type": pair, "metavar": "COL=X"}
    audit.add_argument("--bins", help="confounders in bins of equal size, such as age=5", **pairs)
    audit.add_argument("--roles", help="cause, mediator or consequence of the response, such as bmi=mediator", **pairs)
    audit.add_argument("--missing-level", help="confounders whose missing values are a level", **columns)
    audit.add_argument("--features", help="columns to predict from (default: all other columns)", **columns)
    audit.add_argument(
        "--groups", metavar="COL", help="column with the subject of each row, if subjects have several rows"
    )
    predictions = "column with predictions made elsewhere: nothing is fitted (several classes: repeat for each)"
    audit.add_argument("--predictions", nargs=1, action="extend", metavar="COL", help=predictions)
    audit.add_argument("--folds", metavar="COL", help="with --predictions: column with the fold that each row was in")
    audit.add_argument(
        "--learner", metavar="NAME", help="built-in learner or dotted scikit-learn name (default: logistic)"
    )
    metric = "one or several; the first is the headline (default: auc)"
    audit.add_argument("--metric", nargs="+", metavar="NAME", help=metric)
    split = audit.add_mutually_exclusive_group()
    split.add_argument("--cv", type=positive, metavar="K", help="number of folds of a cross-validation")
    test_size = "share of rows in the test set, or their number (default: 0.5)"
    split.add_argument("--test-size", type=share_or_rows, metavar="F", help=test_size)
    split.add_argument("--split", metavar="COL", help="column with train and test")
    audit.add_argument("--repeats", type=positive, metavar="R", help="random splits to average over (default: 1)")
    audit.add_argument("--permutations", type=positive, metavar="N", help="of the response test (default: 999)")
    sensitivity = "further random splits, to see how much the answer depends on the split (default: 0)"
    audit.add_argument("--sensitivity", type=positive, metavar="K", help=sensitivity)
    population = "table with the columns of response and confounders, and share: the population of interest"
    audit.add_argument("--population", metavar="FILE", help=population)
    audit.add_argument("--adjustment", metavar="NAME", help="what is done about the confounders, such as matching")
    audit.add_argument("--seed", type=int, metavar="S", help="of all random numbers (default: 0)")
    audit.add_argument("--jobs", type=int, metavar="N", help="workers, -1 for all cores (default: 1)")
    audit.add_argument(
        "--out", metavar="DIR", help="folder for audit.html, .json and .png (default: audit/ and the name of FILE)"
    )
    audit.add_argument("--json", action="store_true", help="print JSON only; files are written only with --out")
    gate = 'exit with code 3 if this is true, such as "confounding_p < 0.05" (fields of the JSON; can be repeated)'
    audit.add_argument("--fail-if", action="append", default=[], metavar="CONDITION", help=gate)
    return audit


def command(commands, name, summary, module, example):
    """Add a command; its module is imported when it runs."""
    added = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    added.set_defaults(module=module)
    return added


def pair(text):
    """A name and what is said about it, such as age=5."""
    name, equals, value = text.rpartition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"must be a column and a value, such as age=5, not {text!r}")
    return name, value


def positive(text):
    """A positive whole number."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive whole number, not {text!r}")
    return int(text)


def share_or_rows(text):
    """A share, such as 0.5, or a number of rows."""
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a share or a number of rows, not {text!r}") from None


def main(arguments=None):
    """Run a command. Exit code 0: done; 1: failed; 2: the input is invalid (one sentence says why); 3: --fail-if."""
    if arguments is None:
        _use_utf8()
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.reconfigure(errors="backslashreplace")
        arguments = sys.argv[1:] or ["--help"]
    try:
        _check_habits(arguments)
        options = parser().parse_args(arguments)
        code = importlib.import_module(options.module).main(options) or 0
        if sys.stdout:
            sys.stdout.flush()
        return code
    except SystemExit:  # the end of help
        _drop_output()
        raise
    except ConfigError as error:
        print(f"permconf: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # permconf ... | head
        _drop_output()
        return 128 + signal.SIGPIPE
    except RuntimeError as error:
        if "no locator available" not in str(error):  # numba finds no folder for compiled kernels
            raise
        print(f"permconf: {CANNOT_KEEP_KERNELS}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("permconf: interrupted", file=sys.stderr)
        return 130
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("permconf", "permconf_study"):
            raise
        print(f"permconf: {error.name} is missing; install it with pip install 'permconf[workflow]'", file=sys.stderr)
        return 2
    except SYSTEM_ERRORS as error:  # a folder that cannot be written, a full disk, more than the memory holds
        print(f"permconf: {describe_system_error(error)}", file=sys.stderr)
        _drop_output()
        return 1


def _check_habits(arguments):
    """Raise ConfigError for an option of `audit` that other tools call so."""
    if arguments[:1] != ["audit"]:
        return
    usage = _add_audit(argparse.ArgumentParser().add_subparsers()).format_usage()
    known = {name.replace("-", "_") for name in re.findall(r"--([a-z-]+)", usage)}
    for option in (argument.partition("=")[0] for argument in arguments if argument.startswith("--")):
        name = option[2:].replace("-", "_")
        if not any(one.startswith(name) for one in known) and (right := meant(name, known)):
            raise ConfigError(f"there is no {option}; it is called --{right.replace('_', '-')}")


def _use_utf8():
    """Start again in Python's UTF-8 mode where the locale has another encoding: all files are UTF-8."""
    if locale.getencoding().lower() != "utf-8" and not sys.flags.utf8_mode:
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, "-m", "permconf", *sys.argv[1:]])


def _drop_output():
    """Drop output that cannot be written, which Python would otherwise try to write once more, with a traceback."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
