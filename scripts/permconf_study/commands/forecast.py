"""The expected cost of a run, shown before it starts.

The forecast is based on results/plan.yaml; scenarios that are missing there are first planned by a pilot.
"""

import re
import subprocess
from dataclasses import dataclass, field

from permconf.errors import ConfigError
from permconf.wording import count
from permconf_study.commands.plan import JOB_OVERHEAD_SECONDS, Cost, duration, make_plan, write_plans
from permconf_study.study.chunks import chunk_range
from permconf_study.study.configuration import configured
from permconf_study.study.tables import read_plan

MOST_NAMED = 20  # scenarios
_CHUNK = re.compile(r"^results/([^/]+)/chunks/\w+/(\d+-\d+)\.parquet\t.*\tupdate pending$", re.MULTILINE)


@dataclass(frozen=True)
class Forecast(Cost):
    """Cost of the jobs that remain to be run."""

    disk_mb: float
    lines: list[str]
    largest: dict = field(default_factory=dict)  # memory and run time that the largest jobs request

    @property
    def text(self):
        """The forecast of a cluster run."""
        if not self.jobs:
            return "Nothing costly to run."
        total = f"To run: {count(self.jobs, 'job')}, {self.core_hours:.3g} core-hours, {self.disk_mb:.0f} MB of disk."
        return "\n".join([total, *self.lines])

    def local_text(self, cores):
        """The forecast of a run on this machine."""
        if not self.jobs:
            return "Nothing costly to run."
        cost = f"{duration(self.local_seconds / cores)} on {count(cores, 'core')}, {self.disk_mb:.0f} MB of disk"
        return f"Forecast: {count(self.jobs, 'chunk')}, {cost}."


def forecast(folder, snakemake, settings, targets):
    """Find the chunks to run, plan scenarios without a plan, and add up."""
    plan_file = folder / "results" / "plan.yaml"
    chunks = pending_chunks(snakemake, targets)
    if missing := sorted(chunks.keys() - read_plan(plan_file).keys()):
        named = ", ".join(missing) if len(missing) <= MOST_NAMED else count(len(missing), "scenario")
        print(f"Timing a pilot of {named}.", flush=True)
        config, scenarios = configured(settings)
        plans = {name: make_plan(scenarios[name], config["seed"]) for name in missing}
        for name, plan in plans.items():
            if not plan.usable:
                raise ConfigError(f"every data set in the pilot of {name} failed ({plan.failed})")
        write_plans(plans, plan_file)
    return add_up(chunks, read_plan(plan_file))


def pending_chunks(snakemake, targets):
    """Chunks that Snakemake would run, by scenario."""
    done = subprocess.run([*snakemake, "--summary", "--", *targets], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    chunks: dict[str, list[str]] = {}
    for scenario, chunk in _CHUNK.findall(done.stdout):
        chunks.setdefault(scenario, []).append(chunk)
    return chunks


def add_up(chunks, plans):
    """The forecast for some chunks of each scenario."""
    jobs, total, disk, lines = 0, 0.0, 0.0, []
    for name, names in sorted(chunks.items()):
        plan, datasets = plans[name], sum(len(chunk_range(chunk)) for chunk in names)
        seconds = datasets * plan["seconds_per_dataset"]
        job = seconds / len(names) + JOB_OVERHEAD_SECONDS
        disk += plan["disk_mb"] * datasets / plan["datasets"]
        jobs, total = jobs + len(names), total + seconds
        lines.append(
            f"  {name}: {count(datasets, 'data set')} in {count(len(names), 'job')} of {duration(job)},"
            f" {plan['memory_mb']} MB and {plan['runtime']} min requested; {len(names) * job / 3600:.3g} core-hours"
        )
    requested = {"mem_mb": "memory_mb", "runtime": "runtime"}
    largest = {key: max(plans[name][planned] for name in chunks) for key, planned in requested.items() if chunks}
    return Forecast(jobs, total, disk, lines, largest)
