"""The options of the study's commands, which `permconf` finds by the entry point group `permconf.commands`.

They are defined here, apart from the commands, so that help needs no heavy imports.
"""

from typing import Any

from permconf.__main__ import command, positive
from permconf_study.pages import PAGES
from permconf_study.study.processes import cores
from permconf_study.study.reserved import GROUPS

EXAMPLES = {
    "run": "permconf run                                   # every figure and table of the paper\n"
    "  permconf run my_study                          # a scenario: its tables and standard figure\n"
    "  permconf run figures/fig08_simstudy.pdf        # one file\n"
    "  permconf run forests --forecast                # a group, after an estimate of its cost",
    "new": "permconf new my_study\n  permconf new --metric kappa    # in the folder `plugins` of config.yaml",
    "check": "permconf check my_plugins/metrics/kappa.py",
    "plan": "permconf plan exp1 exp2\n  permconf plan my_study --mcse 0.003 --write",
    "summary": "permconf summary exp1 exp2\n  permconf summary small_test --by n\n"
    "  permconf summary my_study --by learner n beta",
    "replay": "permconf replay exp1 17",
    "cluster": "permconf cluster forests --profile workflow/profiles/slurm",
    "parity": "permconf parity --datasets 40",
    "verify": "permconf verify                                # the run of make\n"
    "  permconf verify --directory results/smoke      # the run of make smoke\n"
    "  permconf verify --write                        # after a deliberate change: publish this run",
    "claims": "permconf claims\n  permconf claims fig8a-power-exp1    # recompute one\n"
    "  permconf claims --study my_study",
    "bench": "permconf bench --quick",
    "page": "permconf page validity\n  permconf page study my_study",
    "clean": "permconf clean",
}


def add(commands):
    """Add the commands of the study."""
    _add_running(commands)
    _add_scenario_commands(commands)
    _add_cluster_commands(commands)
    _add_writing(commands)


def _add_running(commands):
    run = _command(commands, "run", "run the workflow on this machine")
    _shared(run, "targets", "--config", "--directory", "--cores")
    run.add_argument("--forecast", action="store_true", help="first time a pilot and print the expected cost")
    run.add_argument("--dry-run", action="store_true", help="list the steps without running them")
    clean = _command(commands, "clean", "remove results and figures, except results that took longer than an hour")
    _shared(clean, "--directory")
    removed = clean.add_mutually_exclusive_group()
    removed.add_argument("--all", action="store_true", help="remove these too")
    removed.add_argument("--old", action="store_true", help="remove only what earlier settings or code made")
    compared = "compare a run with the published one, table by table; exit code 1 if any differs"
    verify = _command(commands, "verify", compared)
    _shared(verify, "targets", "--directory")
    verify.add_argument("--write", action="store_true", help="renew the published reference from this run, of TARGETs")
    claims = "check the paper's claims against a finished run; exit code 1 if one that should hold fails"
    checked = _command(commands, "claims", claims, "permconf_study.paper.claims.command")
    checked.add_argument("--study", metavar="NAME", help="the claims of a study of your own, NAME.claims.yaml")
    _shared(checked, "--config")
    checked.add_argument("ids", nargs="*", metavar="ID", help="claims to recompute from their tables and explain")


def _add_scenario_commands(commands):
    new = _command(commands, "new", "write a commented scenario file, or a plugin, to start from")
    new.add_argument("name", help="name of the scenario (letters, digits, _ and -) or plugin")
    kinds = new.add_mutually_exclusive_group()
    for kind in ("generator", "metric", "learner", "adjustment", "figure"):
        kinds.add_argument(
            f"--{kind}",
            dest="kind",
            action="store_const",
            const=f"{kind}s",
            help=f"write {'an' if kind[0] == 'a' else 'a'} {kind}",
        )
    _shared(new, "--config")
    check = _command(commands, "check", "test a plugin file against the contract of its kind; exit code 1 if it fails")
    check.add_argument("file", metavar="FILE", help="a file in a folder learners, metrics, generators, ...")
    plan = _command(commands, "plan", "time a pilot of scenarios and print their expected cost")
    _shared(plan, "scenarios", "--config", "--cores")
    plan.add_argument("--mcse", type=float, help="also print the data sets needed for this Monte Carlo standard error")
    plan.add_argument("--write", action="store_true", help="write the recommended chunk size to the scenario file")
    plan.add_argument("--output", default="results/plan.yaml", help="file of the plan (default: %(default)s)")
    summary = _command(commands, "summary", "print a table of results with Monte Carlo standard errors")
    _shared(summary, "scenarios", "--config", "--directory")
    by = "one row for each combination of values of these variables of the grid or parameters (default: scenario)"
    summary.add_argument("--by", nargs="+", metavar="VARIABLE", help=by)
    replay = _command(commands, "replay", "recompute one data set in the foreground, with full output")
    replay.add_argument("scenario")
    replay.add_argument("dataset", type=int, help="number of the data set, from 0")
    _shared(replay, "--config", "--directory")


def _add_cluster_commands(commands):
    cluster = _command(commands, "cluster", "run the workflow on Slurm")
    _shared(cluster, "targets", "--config", "--directory", "--profile")
    resume = "cancel the jobs of a run whose head process was on another machine, and resume"
    cluster.add_argument("--resume", action="store_true", help=resume)
    cluster.add_argument("--partition", help="partition to submit to (default: that of the profile)")
    cluster.add_argument("--account", help="account to charge (default: that of the profile)")
    cluster.add_argument("--dry-run", action="store_true", help="check the cluster and list the jobs, submit nothing")
    parity = _command(commands, "parity", "compare a small study on one core, two cores, other chunks and Slurm")
    datasets = "data sets per experiment (default: %(default)s)"
    parity.add_argument("--datasets", type=positive, default=40, help=datasets)
    parity.add_argument("--runs", nargs="+", choices=("two_cores", "other_chunks", "slurm"), help="runs to compare")
    parity.add_argument("--directory", default="results/parity", help="folder of the runs (default: %(default)s)")
    _shared(parity, "--profile")


def _add_writing(commands):
    summary = "compare the speed of the engine with scikit-learn, R and mlconfound"
    bench = _command(commands, "bench", summary, "permconf_study.benchmarks.command")
    quick = "logistic regression at one size, printed but not written; with --compare, three cases"
    bench.add_argument("--quick", action="store_true", help=quick)
    bench.add_argument("--compare", metavar="REV", help="compare this working copy with another commit")
    page = _command(commands, "page", "update the tables of a page in docs/ from results", "permconf_study.pages")
    page.add_argument("name", choices=[*PAGES, "study"])
    page.add_argument("study", nargs="?", help="the study of `page study`, whose page is docs/STUDY_STUDY.md")
    _shared(page, "--config", "--directory")


def _command(commands, name, summary, module=None):
    return command(commands, name, summary, module or f"permconf_study.commands.{name}", EXAMPLES[name])


def _shared(added, *names):
    """Add arguments that several commands have."""
    wanted = f"scenarios by name, files, or {', '.join(GROUPS[:-1])} or {GROUPS[-1]} (default: the whole paper)"
    profile = {"default": "workflow/profiles/slurm", "help": "folder of a cluster profile (default: %(default)s)"}
    known: dict[str, Any] = {
        "targets": {"nargs": "*", "metavar": "TARGET", "help": wanted},
        "scenarios": {"nargs": "+", "metavar": "SCENARIO", "help": "names of scenario files"},
        "--config": {"nargs": "+", "metavar": "KEY=VALUE", "default": [], "help": "settings that override config.yaml"},
        "--directory": {"default": ".", "help": "folder with results and figures (default: this one)"},
        "--cores": {"type": positive, "default": cores(), "help": "cores to use (default: all)"},
        "--profile": profile,
    }
    for name in names:
        added.add_argument(name, **known[name])
