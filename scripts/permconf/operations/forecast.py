"""What a cluster run will cost, shown before it is submitted, and what it did cost, shown after.

The forecast rests on results/plan.yaml; scenarios that are not in it are planned first, by a pilot.
"""

import re
import subprocess
import time
from dataclasses import dataclass

import yaml

from permconf.operations.plan import JOB_OVERHEAD_SECONDS, duration, make_plan, write_plans
from permconf.study.chunks import chunk_range
from permconf.study.configuration import configured
from permconf.study.tables import written_whole

_CHUNK = re.compile(r"results/([^/]+)/chunks/(\d+-\d+)\.tests\.parquet\t.*\tupdate pending$")


@dataclass(frozen=True)
class Forecast:
    """Cost of the jobs that are still to be run."""

    jobs: int
    core_hours: float
    disk_mb: float
    text: str


def forecast(folder, snakemake, settings, targets):
    """Find what is to be run, plan what has no plan yet, and add up."""
    plan_file = folder / "results" / "plan.yaml"
    chunks = pending_chunks(snakemake, targets)
    if missing := sorted(chunks.keys() - read_plans(plan_file).keys()):
        print(f"Timing a pilot of {', '.join(missing)}.", flush=True)
        config, scenarios = configured(settings)
        write_plans({name: make_plan(scenarios[name], config["seed"]) for name in missing}, plan_file)
        chunks = pending_chunks(snakemake, targets)
    return add_up(chunks, read_plans(plan_file))


def read_plans(path):
    """The plan of each scenario, as kept by `make plan`."""
    return (yaml.safe_load(path.read_text()) or {}) if path.exists() else {}


def pending_chunks(snakemake, targets):
    """Chunks that Snakemake would run, by scenario."""
    done = subprocess.run([*snakemake, "--summary", "--", *targets], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    chunks: dict[str, list[str]] = {}
    for scenario, chunk in filter(None, map(_scenario_and_chunk, done.stdout.splitlines())):
        chunks.setdefault(scenario, []).append(chunk)
    return chunks


def _scenario_and_chunk(line):
    found = _CHUNK.match(line)
    return found and found.groups()


def add_up(chunks, plans):
    """The forecast for some chunks of each scenario."""
    jobs, hours, disk, lines = 0, 0.0, 0.0, []
    for name, names in sorted(chunks.items()):
        plan, datasets = plans[name], sum(len(chunk_range(chunk)) for chunk in names)
        seconds = datasets * plan["seconds_per_dataset"] + len(names) * JOB_OVERHEAD_SECONDS
        disk += plan["disk_mb"] * datasets / plan["datasets"]
        jobs, hours = jobs + len(names), hours + seconds / 3600
        lines.append(
            f"  {name}: {datasets:,} data sets in {len(names)} jobs of {duration(seconds / len(names))},"
            f" {plan['memory_mb']} MB and {plan['runtime']} min asked for; {seconds / 3600:.3g} core-hours"
        )
    total = f"To run: {jobs} jobs, {hours:.3g} core-hours, {disk:.0f} MB of disk." if jobs else "Nothing costly to run."
    return Forecast(jobs, hours, disk, "\n".join([total, *lines]))


def note(folder, prefix, cost, *, resumed):
    """Keep what was forecast, for the comparison at the end; a resumed run keeps its first forecast."""
    path = folder / "results" / "cluster.yaml"
    if resumed and path.exists():
        return
    content = {"prefix": prefix, "started": int(time.time()), "jobs": cost.jobs, "core_hours": cost.core_hours}
    with written_whole(path) as temporary:
        temporary.write_text(yaml.safe_dump(content))
