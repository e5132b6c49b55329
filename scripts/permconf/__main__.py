"""The command line: `permconf COMMAND`. A command's module is imported only when the command runs."""

import argparse
import importlib
import locale
import os
import signal
import sys
from typing import Any

from permconf import __version__
from permconf.errors import OF_THE_MACHINE, ConfigError, trouble
from permconf.operations.targets import GROUPS

DESCRIPTION = "Tests for confounding in predictions, and the simulation study that evaluates them."
CANNOT_KEEP_KERNELS = (
    "compiled kernels cannot be kept, because neither the package nor the home folder can be written;"
    " set NUMBA_CACHE_DIR to a folder that can"
)
EXAMPLES = {
    "audit": "permconf audit patients.csv --response diagnosis --confounders sex age site\n"
    "  permconf audit patients.csv --response diagnosis --confounders site --groups patient --cv 5\n"
    "  permconf audit scored.parquet --response diagnosis --confounders site --predictions score",
    "run": "permconf run                                   # every figure and table of the paper\n"
    "  permconf run my_study                          # a scenario: its tables and standard figure\n"
    "  permconf run figures/fig08_simstudy.pdf        # one file\n"
    "  permconf run forests --forecast                # a group, after an estimate of its cost",
    "new": "permconf new my_study",
    "plan": "permconf plan exp1 exp2\n  permconf plan my_study --mcse 0.003 --write",
    "summary": "permconf summary exp1 exp2\n  permconf summary small_test --by n",
    "replay": "permconf replay exp1 17",
    "cluster": "permconf cluster forests --profile workflow/profiles/slurm",
    "parity": "permconf parity --datasets 40",
    "verify": "permconf verify                                # the run of make\n"
    "  permconf verify --directory results/smoke      # the run of make smoke\n"
    "  permconf verify --write                        # after a deliberate change: publish this run",
    "claims": "permconf claims\n  permconf claims fig8a-power-exp1    # recompute one",
    "bench": "permconf bench --quick",
    "page": "permconf page validity",
    "clean": "permconf clean",
}


def parser():
    """The parser of all commands. Their options are defined here so that help needs no heavy imports."""
    top = argparse.ArgumentParser(prog="permconf", description=DESCRIPTION)
    top.add_argument("--version", action="version", version=f"permconf {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_audit(commands)
    _add_running(commands)
    _add_scenario_commands(commands)
    _add_cluster_commands(commands)
    _add_writing(commands)
    return top


def _add_audit(commands):
    summary = "audit a model of your own data, or its predictions, for confounding"
    audit = _command(commands, "audit", summary, "permconf.auditing.command")
    audit.add_argument("file", metavar="FILE", help="table: .csv, .tsv or .parquet, also with .gz")
    audit.add_argument("--response", required=True, metavar="COL", help="column to predict: classes or numbers")
    columns = {"nargs": "+", "metavar": "COL"}
    audit.add_argument("--confounders", required=True, help="columns that may confound the predictions", **columns)
    audit.add_argument("--features", help="columns to predict from (default: all other columns)", **columns)
    audit.add_argument("--groups", metavar="COL", help="column with the subject of each row, where one has several")
    predictions = "column with predictions made elsewhere: nothing is fitted (several classes: repeat for each)"
    audit.add_argument("--predictions", nargs=1, action="extend", metavar="COL", help=predictions)
    audit.add_argument(
        "--learner", metavar="NAME", help="built-in learner or dotted scikit-learn name (default: logistic)"
    )
    metric = "one or several; the first is the headline (default: auc)"
    audit.add_argument("--metric", nargs="+", metavar="NAME", help=metric)
    split = audit.add_mutually_exclusive_group()
    split.add_argument("--cv", type=_positive, metavar="K", help="number of folds of a cross-validation")
    split.add_argument("--test-size", type=float, metavar="F", help="share of rows in the test set (default: 0.5)")
    audit.add_argument("--repeats", type=_positive, metavar="R", help="random splits to average over (default: 1)")
    audit.add_argument("--permutations", type=_positive, metavar="N", help="of the response test (default: 999)")
    sensitivity = "further random splits, to see how much the answer depends on the split (default: 0)"
    audit.add_argument("--sensitivity", type=_positive, metavar="K", help=sensitivity)
    audit.add_argument("--adjustment", metavar="NAME", help="what is done about the confounders, such as matching")
    audit.add_argument("--seed", type=int, metavar="S", help="of all random numbers (default: 0)")
    audit.add_argument("--jobs", type=int, metavar="N", help="workers, -1 for all cores (default: 1)")
    audit.add_argument(
        "--out", metavar="DIR", help="folder for audit.html, .json and .png (default: audit/ and the name of FILE)"
    )
    audit.add_argument("--json", action="store_true", help="print JSON only; files are written only with --out")


def _add_running(commands):
    run = _command(commands, "run", "run the workflow on this machine")
    _shared(run, "targets", "--config", "--directory", "--cores")
    run.add_argument("--forecast", action="store_true", help="first time a pilot and print the expected cost")
    run.add_argument("--dry-run", action="store_true", help="list the steps without running them")
    clean = _command(commands, "clean", "remove results and figures, except results that took longer than an hour")
    _shared(clean, "--directory")
    clean.add_argument("--all", action="store_true", help="remove these too")
    compared = "compare a run with the published one, table by table; exit code 1 if one is different"
    verify = _command(commands, "verify", compared)
    _shared(verify, "targets", "--directory")
    verify.add_argument("--write", action="store_true", help="renew the published reference from this run, of TARGETs")
    claims = "check the paper's claims against a finished run; exit code 1 if one that should hold fails"
    checked = _command(commands, "claims", claims, "permconf.paper.claims.command")
    checked.add_argument("ids", nargs="*", metavar="ID", help="claims to recompute from their tables and explain")


def _add_scenario_commands(commands):
    new = _command(commands, "new", "write a commented scenario file to start from")
    new.add_argument("name", help="name of the scenario: letters, digits, _ and -")
    plan = _command(commands, "plan", "time a pilot of scenarios and print their expected cost")
    _shared(plan, "scenarios", "--config", "--cores")
    plan.add_argument("--mcse", type=float, help="also print the data sets needed for this Monte Carlo standard error")
    plan.add_argument("--write", action="store_true", help="write the recommended chunk size to the scenario file")
    plan.add_argument("--output", default="results/plan.yaml", help="file of the plan (default: %(default)s)")
    summary = _command(commands, "summary", "print a table of results with Monte Carlo standard errors")
    _shared(summary, "scenarios", "--config")
    summary.add_argument("--by", metavar="PARAMETER", help="one row per value of this parameter")
    replay = _command(commands, "replay", "recompute one data set in the foreground, with full output")
    replay.add_argument("scenario")
    replay.add_argument("dataset", type=int, help="number of the data set, from 0")
    _shared(replay, "--config")


def _add_cluster_commands(commands):
    cluster = _command(commands, "cluster", "run the workflow on Slurm")
    _shared(cluster, "targets", "--config", "--directory", "--profile")
    resume = "cancel the jobs of a run whose head process was on another machine, and resume"
    cluster.add_argument("--resume", action="store_true", help=resume)
    parity = _command(commands, "parity", "compare a small study on one core, two cores, other chunks and Slurm")
    datasets = "data sets per experiment (default: %(default)s)"
    parity.add_argument("--datasets", type=_positive, default=40, help=datasets)
    parity.add_argument("--runs", nargs="+", choices=("two_cores", "other_chunks", "slurm"), help="runs to compare")
    parity.add_argument("--directory", default="results/parity", help="folder of the runs (default: %(default)s)")
    _shared(parity, "--profile")


def _add_writing(commands):
    summary = "compare the speed of the engine with scikit-learn, R and mlconfound"
    bench = _command(commands, "bench", summary, "permconf.benchmarks.command")
    bench.add_argument("--quick", action="store_true", help="logistic regression at one size, printed but not written")
    page = _command(commands, "page", "update the tables of a page in docs/ from results", "permconf.pages")
    page.add_argument("name", choices=importlib.import_module("permconf.pages").PAGES)


def _command(commands, name, summary, module=None):
    added = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  {EXAMPLES[name]}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    added.set_defaults(module=module or f"permconf.operations.{name}")
    return added


def _shared(added, *names):
    """Add arguments that several commands have."""
    wanted = f"scenarios by name, files, or {', '.join(GROUPS[:-1])} or {GROUPS[-1]} (default: the whole paper)"
    profile = {"default": "workflow/profiles/slurm", "help": "folder of a cluster profile (default: %(default)s)"}
    known: dict[str, Any] = {
        "targets": {"nargs": "*", "metavar": "TARGET", "help": wanted},
        "scenarios": {"nargs": "+", "metavar": "SCENARIO", "help": "names of scenario files"},
        "--config": {"nargs": "+", "metavar": "KEY=VALUE", "default": [], "help": "settings that override config.yaml"},
        "--directory": {"default": ".", "help": "folder with results and figures (default: this one)"},
        "--cores": {"type": _positive, "default": _available(), "help": "cores to use (default: all)"},
        "--profile": profile,
    }
    for name in names:
        added.add_argument(name, **known[name])


def _available():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a positive whole number, not {text!r}")
    return int(text)


def main(arguments=None):
    """Run a command. Exit code 0: done; 1: failed; 2: the input is invalid, for a reason given in one sentence."""
    if arguments is None:
        _use_utf8()
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.reconfigure(errors="backslashreplace")
    try:
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
        if error.name and error.name.partition(".")[0] == "permconf":
            raise
        print(f"permconf: {error.name} is missing; install it with pip install 'permconf[workflow]'", file=sys.stderr)
        return 2
    except OF_THE_MACHINE as error:  # a folder that cannot be written, a full disk, more than the memory holds
        print(f"permconf: {trouble(error)}", file=sys.stderr)
        _drop_output()
        return 1


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
