"""What a study will cost, from a small pilot: jobs, core-hours, memory, disk, and the Monte Carlo error it will reach.

`make plan SCENARIO=x` prints it and keeps it in results/plan.yaml, where the workflow finds the chunk size, memory and
time of each scenario's jobs.
"""

import argparse
import logging
import math
import resource
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import yaml
from threadpoolctl import threadpool_limits

from permconf.errors import ConfigError
from permconf.method.random_streams import Streams
from permconf.study.assessments import assess_datasets
from permconf.study.chunks import BLOCK, chunks
from permconf.study.configuration import add_config_option, chosen_scenario, configured, run
from permconf.study.datasets import simulate
from permconf.study.design import design_block
from permconf.study.tables import written_whole

PILOT_DATASETS = 9
PILOT_SECONDS = 30.0
MINUTES_PER_JOB = 5.0
CLUSTER_JOBS = 100
STEP_OVERHEAD_SECONDS = 2.5  # of each of a chunk's two steps here: starting a script and importing what it needs
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
    failed: str = ""

    @property
    def jobs(self):
        """Cluster jobs: one simulates and tests each chunk."""
        return len(chunks(self.datasets, self.chunk))

    @property
    def core_hours(self):
        """Processor time of the whole scenario, overhead of the jobs included."""
        return (self.datasets * self.seconds_per_dataset + self.jobs * JOB_OVERHEAD_SECONDS) / 3600

    def wall_seconds(self, parallel, overhead):
        """Time from start to end with `parallel` chunks at a time, each with some seconds of overhead."""
        rounds = math.ceil(self.jobs / parallel)
        return rounds * (min(self.chunk, self.datasets) * self.seconds_per_dataset + overhead)

    @property
    def local_seconds(self):
        """Processor time of a run without a cluster."""
        return self.datasets * self.seconds_per_dataset + self.jobs * 2 * STEP_OVERHEAD_SECONDS

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
    where = {"stream": scenario["stream"], "seed": seed}
    first = simulate(scenario["data"], {k: v[rows[:1]] for k, v in design.items()}, **where)
    assess_datasets(first, scenario | {"permutations": 10}, stream="warm up", seed=seed)  # compiles, imports
    seconds, sizes, errors = pilot(scenario, ({k: v[[row]] for k, v in design.items()} for row in rows), where)
    per_dataset = float(np.mean(seconds))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Plan(
        datasets=scenario["datasets"],
        seconds_per_dataset=per_dataset,
        memory_mb=_round_up(1.5 * peak_mb + JOB_OVERHEAD_MB, 100),
        disk_mb=scenario["datasets"] * float(np.mean(sizes)) / 1e6,
        chunk=recommended_chunk(per_dataset),
        failed=f"{len(errors)} of {len(seconds)} failed, the first with {errors[0]}" if errors else "",
    )


def pilot(scenario, parameters, where):
    """Processor time, bytes and errors of data sets on one core, which a busy machine does not change.

    A pilot that takes long ends early.
    """
    seconds: list[float] = []
    sizes, errors = [], []
    with threadpool_limits(1):
        for row in parameters:
            start = time.process_time()
            (dataset,) = datasets = simulate(scenario["data"], row, **where)
            tests, draws = assess_datasets(datasets, scenario, **where)
            seconds.append(time.process_time() - start)
            sizes.append(dataset.X.nbytes + dataset.y.nbytes + dataset.c.nbytes + 2 * _table_bytes(tests, draws))
            errors += [error for error in tests["error"][:1] if error]
            if sum(seconds) > PILOT_SECONDS and len(seconds) >= 3:
                break
    return seconds, sizes, errors


def recommended_chunk(seconds_per_dataset):
    """Data sets per job for jobs of about MINUTES_PER_JOB, however many there are to be."""
    return int(np.clip(round(60 * MINUTES_PER_JOB / seconds_per_dataset), 1, BLOCK))


def _table_bytes(tests, draws):
    """Bytes of one data set's rows in the tables of tests and draws, which are kept by chunk and put together."""
    return 8 * len(tests) * len(tests["dataset"]) + 8 * len(draws["value"])


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
    here = duration(plan.wall_seconds(cores, 2 * STEP_OVERHEAD_SECONDS))
    there = duration(plan.wall_seconds(CLUSTER_JOBS, JOB_OVERHEAD_SECONDS))
    lines = [
        f"{name}: {plan.datasets:,} data sets, {plan.seconds_per_dataset:.3g} s each; in chunks of {chunk:,}"
        f" ({job / 60:.1f} min per job): {plan.jobs} jobs, {hours:.3g} core-hours",
        f"  here, on {cores} cores: {here}, {cores * plan.memory_mb:,} MB of memory, {plan.disk_mb:,.0f} MB of disk",
        f"  on a cluster, {CLUSTER_JOBS} jobs at a time: {there},"
        f" {plan.memory_mb:,} MB and {plan.runtime} min to ask for per job, {plan.disk_mb:,.0f} MB of disk",
        f"  Monte Carlo standard error of a rejection rate: {mcse(plan.datasets):.4f} at 5 %,"
        f" {mcse(plan.datasets, 0.5):.4f} at most",
    ]
    return "\n".join(lines + [f"  pilot data sets: {plan.failed}"] * bool(plan.failed))


def mcse_summary(plan, error):
    """How many data sets a standard error of `error` needs, and what they cost."""
    datasets = datasets_for(error)
    larger = replace(plan, datasets=datasets)
    return (
        f"a standard error of {error:g} at a rate of 5 % needs {larger.datasets:,} data sets"
        f" ({larger.core_hours:.3g} core-hours)"
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
    for plan in new.values():
        del plan["failed"]
    with written_whole(path) as temporary:
        temporary.write_text(yaml.safe_dump(kept | new, sort_keys=True))


def main():
    parser = argparse.ArgumentParser(prog="make plan", description=__doc__)
    parser.add_argument("scenarios", nargs="+")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--mcse", type=float, help="print the number of data sets that gives this standard error")
    parser.add_argument("--output", default="results/plan.yaml")
    add_config_option(parser)
    options = parser.parse_args()
    if options.mcse is not None and not 0 < options.mcse < 0.5:
        raise ConfigError(f"--mcse must be between 0 and 0.5, not {options.mcse:g}")
    logging.disable(logging.CRITICAL)  # errors of pilot data sets are counted in the summary
    config, known = configured(options.config)
    chosen = {name: chosen_scenario(name, known) for name in options.scenarios}
    plans = {}
    for name, scenario in chosen.items():
        plans[name] = make_plan(scenario, config["seed"])
        print(summary(name, plans[name], options.cores))
        if options.mcse:
            print(f"  {mcse_summary(plans[name], options.mcse)}")
    total = sum(plan.core_hours for plan in plans.values())
    if len(plans) > 1:
        jobs = sum(plan.jobs for plan in plans.values())
        wall = duration(sum(plan.local_seconds for plan in plans.values()) / options.cores)
        print(f"In all: {total:.3g} core-hours in {jobs} jobs on a cluster, {wall} on {options.cores} cores here.")
    write_plans(plans, options.output)
    print(f"Kept in {options.output}; runs use its chunk sizes, memory and times from now on.")


if __name__ == "__main__":
    run(main)
