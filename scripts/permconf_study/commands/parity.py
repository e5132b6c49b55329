"""The same small study on one core, two cores, in other chunks and on Slurm: `permconf parity` compares every value.

The random numbers of a data set depend on its number only, so all tables must be bit-identical.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

from permconf_study.commands.cluster_settings import ClusterError, check_slurm
from permconf_study.commands.reference import WHOLE, described
from permconf_study.commands.run import snakemake
from permconf_study.commands.verify import IDENTICAL, verified
from permconf_study.study.tables import read_columns

SCENARIOS = ("exp1", "exp2", "exp3", "exp4")
TABLES = ("design.csv", "tests.parquet", "curves.csv")
TARGETS = [f"results/{scenario}/curves.csv" for scenario in SCENARIOS]
REFERENCE = "one_core"
RUNS = ("two_cores", "other_chunks", "slurm")


def compare(expected, found):
    """Compare the tables of two runs, given by their folders: the number of values, and what differs."""
    names = [f"results/{scenario}/{name}" for scenario in SCENARIOS for name in TABLES]
    columns = {name: read_columns(expected / name) for name in names}
    verdicts = verified(found, {name: {WHOLE: described(of)} for name, of in columns.items()})
    wrong = [f"{name}: {one.answer}, {one.detail}" for name, one in verdicts.items() if one.answer != IDENTICAL]
    return sum(len(column) for of in columns.values() for column in of.values()), wrong


def run_study(name, folder, datasets, profile):
    """Run the study in one of the ways, in two chunks (or three); returns the seconds it took."""
    settings = [f"datasets={datasets}", f"chunk={max(1, datasets // (3 if name == 'other_chunks' else 2))}"]
    if name == "slurm":
        command = [sys.executable, "-m", "permconf", "cluster", *TARGETS, "--profile", str(profile)]
        command += ["--directory", str(folder), "--config", *settings]
    else:
        cores = "1" if name == REFERENCE else "2"
        command = snakemake(folder, settings, "--cores", cores, "--", *TARGETS)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}{done.stderr}\npermconf: the run in {folder} failed.")
    return time.monotonic() - start


def report(name, expected, found):
    """Print one comparison; returns whether all values agree."""
    values, wrong = compare(expected, found)
    verdict = "; ".join(wrong) if wrong else "identical"
    tables = len(SCENARIOS) * len(TABLES)
    print(f"{_words(name)} against one core: {tables} tables, {values:,} values: {verdict}", flush=True)
    return not wrong


def main(options):
    """Run, compare and print; 1 if any value differs."""
    agree, seconds = [], {}
    runs = [REFERENCE, *(options.runs or RUNS)]
    folders = {name: Path(options.directory).resolve() / name for name in runs}
    for name, folder in folders.items():
        try:
            if name == "slurm":
                check_slurm()
        except ClusterError as error:
            print(f"{_words(name)} against one core: skipped: {error}.")
            continue
        seconds[name] = run_study(name, folder, options.datasets, options.profile)
        if name != REFERENCE:
            agree.append(report(name, folders[REFERENCE], folder))
    print(f"Time: {', '.join(f'{_words(name)} {took:.0f} s' for name, took in seconds.items())}.")
    return 0 if all(agree) else 1


def _words(name):
    return "Slurm" if name == "slurm" else name.replace("_", " ")
