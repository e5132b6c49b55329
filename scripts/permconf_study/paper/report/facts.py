"""Facts about a run: versions, machine, commit, time per stage, data sets and failures."""

import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from permconf.versions import versions
from permconf_study.study.part_logs import part_times
from permconf_study.study.processes import cores
from permconf_study.study.tables import step_times


def run_facts(home, seed):
    """Facts about the machine and the code, by name."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seed": str(seed),
        "commit": commit(home),
        "cores of this machine": str(cores()),
        "system": f"{platform.system()}, {platform.machine()}",
        "versions": ", ".join(f"{name} {number}" for name, number in versions().items()),
    }


def commit(home):
    """The commit of the code, and whether it has uncommitted changes; "unknown" without git."""
    try:
        command = ["git", "-C", str(home), "describe", "--always", "--dirty=, with changes", "--abbrev=12"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def stages(results="results"):
    """Jobs, total and longest time of every stage; slowest first."""
    folder = Path(results, "benchmarks")
    seconds: dict[str, list[float]] = {}
    for path, taken in step_times(folder):
        seconds.setdefault(path.relative_to(folder).parts[0].removesuffix(".tsv"), []).append(taken)
    for part in part_times(results):
        seconds.setdefault(part.step, []).append(part.seconds)
    rows = [{"stage": name, "jobs": len(s), "total": sum(s), "longest": max(s)} for name, s in seconds.items()]
    return sorted(rows, key=lambda row: -row["total"])


def scenario_rows(scenarios):
    """Data sets and failures of those scenarios (a mapping of names to settings) that have been run."""
    from pyarrow.parquet import read_table

    rows = []
    for name, settings in scenarios.items():
        path = Path("results", name, "tests.parquet")
        if path.exists():
            table = read_table(path)
            statuses = table["status"].to_pylist()
            drawn = table["n_permutations"].to_pylist() if "n_permutations" in table.column_names else [0]
            permutations = f"{min(drawn):,}" + (f" to {max(drawn):,}" if max(drawn) > min(drawn) else "")
            row = {"name": name, "title": settings["title"], "learner": settings["learner"]}
            row |= {"datasets": len(statuses) // len(settings["metrics"]), "failed": statuses.count("failed")}
            rows.append(row | {"permutations": permutations})
    return rows
