"""What a study will cost, from a small pilot: jobs, core-hours, memory, disk, and the Monte Carlo error it will reach.

`make plan SCENARIO=x` prints it and keeps it in results/plan.yaml, where the workflow finds the chunk size, memory and
time of each scenario's jobs.
"""

import argparse
import math
import resource
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import yaml
from threadpoolctl import threadpool_limits

from permconf import plugins
from permconf.config import ConfigError, check_config, load_scenarios, read_yaml
from permconf.datasets import simulate
from permconf.designs import design_block
from permconf.layout import BLOCK, chunks
from permconf.plugins import nearest
from permconf.seeds import Streams
from permconf.study import assess_datasets
from permconf.workflow_io import written_whole

PILOT_DATASETS = 9
PILOT_SECONDS = 30.0
MINUTES_PER_JOB = 5.0
# Of a cluster job: Snakemake starts twice and the two scripts import numpy; measured, see docs/CLUSTER.md.
JOB_OVERHEAD_SECONDS = 9.0
JOB_OVERHEAD_MB = 500


@dataclass(frozen=True)
class Plan:
    """Cost of one scenario: measured per data set, the rest follows."""

    datasets: int
    seconds_per_dataset: float
    memory_mb: int
    disk_mb: float
    chunk: int

    @property
    def jobs(self):
        """Cluster jobs: one simulates and tests each chunk."""
        return len(chunks(self.datasets, self.chunk))

    @property
    def core_hours(self):
        """Processor time of the whole scenario, overhead of the jobs included."""
        return (self.datasets * self.seconds_per_dataset + self.jobs * JOB_OVERHEAD_SECONDS) / 3600

    @property
    def runtime(self):
        """Minutes to ask a scheduler for: three times what is expected, ten at least."""
        return max(10, math.ceil(3 * self.chunk * self.seconds_per_dataset / 60))


def mcse(datasets, rate=0.05):
    """Monte Carlo standard error of a rejection rate."""
    return math.sqrt(rate * (1 - rate) / datasets)


def datasets_for(error, rate=0.05):
    """Number of data sets for which a rejection rate has this Monte Carlo standard error."""
    return math.ceil(rate * (1 - rate) / error**2)


def make_plan(scenario, seed):
    """Time a few data sets of a scenario, spread over the sizes in its design, and plan the whole."""
    design = design_block(scenario["data"], 0, Streams(seed, scenario["stream"], 0))
    rows = spread_rows(design, min(PILOT_DATASETS, scenario["datasets"]))
    design = {name: column[rows] for name, column in design.items()}
    datasets = simulate(scenario["data"], design, stream=scenario["stream"], seed=seed)
    assess_datasets(datasets[:1], scenario | {"permutations": 2}, stream="warm up", seed=seed)  # compiles, imports
    per_dataset = float(np.mean(pilot_seconds(datasets, scenario, seed)))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Plan(
        datasets=scenario["datasets"],
        seconds_per_dataset=per_dataset,
        memory_mb=_round_up(1.5 * peak_mb + JOB_OVERHEAD_MB, 100),
        disk_mb=scenario["datasets"] * float(np.mean([d.X.nbytes + d.y.nbytes + d.c.nbytes for d in datasets])) / 1e6,
        chunk=int(np.clip(round(60 * MINUTES_PER_JOB / per_dataset), 1, BLOCK)),
    )


def pilot_seconds(datasets, scenario, seed):
    """Processor time of each data set on one core, which a busy machine does not change; long pilots end early."""
    seconds: list[float] = []
    with threadpool_limits(1):
        for dataset in datasets:
            start = time.process_time()
            assess_datasets([dataset], scenario, stream=scenario["stream"], seed=seed)
            seconds.append(time.process_time() - start)
            if sum(seconds) > PILOT_SECONDS and len(seconds) >= 3:
                break
    return seconds


def spread_rows(design, count):
    """Rows at evenly spaced quantiles of n, in an order whose beginnings are spread too; without n, the first rows."""
    rows = np.argsort(design["n"], kind="stable") if "n" in design else np.arange(BLOCK)
    if "n" in design:
        rows = rows[((np.arange(count) + 0.5) * len(rows) / count).astype(int)]
    middle_out = np.argsort([bin(k)[:1:-1] for k in range(count)], kind="stable")
    return rows[:count][middle_out]


def _round_up(value, step):
    return int(math.ceil(value / step) * step)


def summary(name, plan, cores):
    """The plan of one scenario in a few lines."""
    hours, chunk = plan.core_hours, min(plan.chunk, plan.datasets)
    job = chunk * plan.seconds_per_dataset
    return (
        f"{name}: {plan.datasets:,} data sets, {plan.seconds_per_dataset:.3g} s each, in {plan.jobs} jobs of"
        f" {chunk} data sets ({duration(job)} each)\n"
        f"  {hours:.3g} core-hours: {duration(3600 * hours / cores)} on {cores} cores here,"
        f" {duration(max(3600 * hours / 100, job))} with 100 cluster jobs at a time\n"
        f"  {plan.memory_mb} MB and {plan.runtime} min to ask for per job, {plan.disk_mb:.0f} MB of disk\n"
        f"  a rejection rate of 5 % will have a Monte Carlo standard error of {mcse(plan.datasets):.4f}"
    )


def duration(seconds):
    """A time in the unit that suits it."""
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.0f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def write_plans(plans, path):
    """Add plans to the plan file, replacing those of the same scenarios."""
    path = Path(path)
    kept = yaml.safe_load(path.read_text()) if path.exists() else {}
    new = {name: asdict(plan) | {"runtime": plan.runtime} for name, plan in plans.items()}
    with written_whole(path) as temporary:
        temporary.write_text(yaml.safe_dump(kept | new, sort_keys=True))


def main():
    parser = argparse.ArgumentParser(prog="make plan", description=__doc__)
    parser.add_argument("scenarios", nargs="+")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--mcse", type=float, help="print the number of data sets that gives this standard error")
    parser.add_argument("--output", default="results/plan.yaml")
    options = parser.parse_args()
    config = read_yaml("config.yaml")
    check_config(config)
    if config.get("plugins"):
        plugins.use_folder(config["plugins"])
    known = load_scenarios(config["scenario_dir"], config)
    plans = {}
    for name in options.scenarios:
        if name not in known:
            raise ConfigError(f"unknown scenario {name!r}{nearest(name, known)}")
        plans[name] = make_plan(known[name], config["seed"])
        print(summary(name, plans[name], options.cores))
    total = sum(plan.core_hours for plan in plans.values())
    if len(plans) > 1:
        jobs = sum(plan.jobs for plan in plans.values())
        wall = duration(3600 * total / options.cores)
        print(f"In all: {total:.3g} core-hours in {jobs} jobs, {wall} on {options.cores} cores.")
    if options.mcse:
        print(f"A standard error of {options.mcse} at a rate of 5 % needs {datasets_for(options.mcse):,} data sets.")
    write_plans(plans, options.output)
    print(f"Kept in {options.output}; runs use its chunk sizes, memory and times from now on.")


if __name__ == "__main__":
    try:
        main()
    except ConfigError as error:
        raise SystemExit(f"permconf: {error}") from None
