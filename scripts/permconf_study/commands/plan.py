"""The expected cost of a study, from a small pilot: jobs, core-hours, memory, disk, and its Monte Carlo error.

`permconf plan` prints it, and saves the memory and run time of each scenario's jobs in results/plan.yaml for the
workflow. A plan never changes file names: the chunk size is part of the scenario.
"""

import logging
import math
import re
import resource
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import yaml
from threadpoolctl import threadpool_limits

from permconf.errors import ConfigError
from permconf.permute.random_streams import Streams
from permconf.wording import count
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.chunks import BLOCK, chunks
from permconf_study.study.configuration import chosen_scenarios, configured
from permconf_study.study.data_source import drawn, with_values
from permconf_study.study.design import design_block
from permconf_study.study.estimators import has_truth, truth_columns, truth_datasets
from permconf_study.study.parameters import combinations
from permconf_study.study.tables import read_plan, written_whole
from permconf_study.study.truth import true_metrics

PILOT_DATASETS = 9
PILOT_SECONDS = 30.0
MINUTES_PER_JOB = 5.0
CLUSTER_JOBS = 100
STEP_OVERHEAD_SECONDS = 2.5  # for each of the two steps of a chunk: starting a script, and its imports
# For a cluster job: Snakemake starts twice and both scripts import numpy; measured, see docs/CLUSTER.md.
JOB_OVERHEAD_SECONDS = 9.0
JOB_OVERHEAD_MB = 500
CLUSTER_SECONDS = 30.0  # until the first jobs are submitted and started, and the last is seen to have ended
SUBMITTED_PER_SECOND = 10.0  # by the profile


@dataclass(frozen=True)
class Cost:
    """Jobs, one per chunk, and the processor time of their data sets."""

    jobs: int
    seconds: float

    @property
    def core_hours(self):
        """Processor time on a cluster, with the overhead of the jobs."""
        return (self.seconds + self.jobs * JOB_OVERHEAD_SECONDS) / 3600

    @property
    def local_seconds(self):
        """Processor time without a cluster."""
        return self.seconds + self.jobs * 2 * STEP_OVERHEAD_SECONDS


@dataclass(frozen=True)
class Plan:
    """Cost of one scenario in chunks of `chunk` data sets, derived from measurements per data set."""

    datasets: int
    seconds_per_dataset: float
    memory_mb: int
    disk_mb: float
    chunk: int
    failed: str = ""
    usable: bool = True  # unless every data set of the pilot failed
    cells: int = 1  # combinations of values of parameters, among which the data sets are divided

    @property
    def per_cell(self):
        """Data sets of each cell."""
        return self.datasets / self.cells

    @property
    def cost(self):
        """The cost of the whole scenario."""
        return Cost(len(chunks(self.datasets, self.chunk)), self.datasets * self.seconds_per_dataset)

    @property
    def runtime(self):
        """Minutes to request from a scheduler: three times the expected time, at least ten."""
        return max(10, math.ceil(3 * self.chunk * self.seconds_per_dataset / 60))

    @property
    def recommended_chunk(self):
        """Data sets per job for jobs of about MINUTES_PER_JOB."""
        return int(np.clip(round(60 * MINUTES_PER_JOB / self.seconds_per_dataset), 1, BLOCK))


def total_cost(plans):
    """Jobs and processor time of some scenarios together."""
    costs = [plan.cost for plan in plans]
    return Cost(sum(cost.jobs for cost in costs), sum(cost.seconds for cost in costs))


def wall_seconds(plans, parallel, overhead):
    """Elapsed time of some scenarios with `parallel` chunks at a time, each with some seconds of overhead."""
    cost = total_cost(plans)
    longest = max(min(plan.chunk, plan.datasets) * plan.seconds_per_dataset for plan in plans)
    return max(math.ceil(cost.jobs / parallel) * (cost.seconds / cost.jobs + overhead), longest + overhead)


def mcse(datasets, rate=0.05):
    """Monte Carlo standard error of a rejection rate."""
    return math.sqrt(rate * (1 - rate) / datasets)


def datasets_for(error, rate=0.05):
    """Number of data sets that gives a rejection rate this Monte Carlo standard error."""
    return math.ceil(rate * (1 - rate) / error**2)


def make_plan(scenario, seed):
    """Time a few data sets of a scenario, spread over the sizes in its design, and extrapolate."""
    design = design_block(scenario["data"], 0, Streams(seed, scenario["stream"], 0))
    rows = spread_rows(design, min(PILOT_DATASETS, scenario["datasets"]))
    where = {"stream": scenario["stream"], "seed": seed}
    first = {k: v[rows[:1]] for k, v in design.items()}
    few = {"permutations": 10} if scenario["permutations"] else {}
    compiled, *_ = computed(scenario | few, first, where)  # and imported
    truth_seconds(scenario, first, compiled, **where)
    seconds, sizes, errors = pilot(scenario, ({k: v[[row]] for k, v in design.items()} for row in rows), where)
    per_dataset = float(np.mean(seconds))
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Plan(
        datasets=scenario["datasets"],
        seconds_per_dataset=per_dataset,
        memory_mb=100 * math.ceil((1.5 * peak_mb + JOB_OVERHEAD_MB) / 100),
        disk_mb=scenario["datasets"] * float(np.mean(sizes)) / 1e6,
        chunk=scenario["chunk"],
        failed=f"{len(errors)} of {len(seconds)} failed, the first with {errors[0]}" if errors else "",
        usable=len(errors) < len(seconds),
        cells=combinations(scenario["data"]["parameters"], scenario["data"].get("rows", ())),
    )


def pilot(scenario, parameters, where):
    """Processor time, bytes and errors of data sets on one core; a slow pilot ends early."""
    seconds: list[float] = []
    sizes, errors = [], []
    with threadpool_limits(1):
        for row in parameters:
            start = time.process_time()
            dataset, tests, draws = computed(scenario, row, where)
            seconds.append(time.process_time() - start + truth_seconds(scenario, row, dataset, **where))
            values = len(tests) * len(tests["dataset"]) + draws
            sizes.append(dataset.X.nbytes + dataset.y.nbytes + dataset.c.nbytes + 2 * 8 * values)
            errors += [error for error in tests["error"][:1] if error]
            if sum(seconds) > PILOT_SECONDS and len(seconds) >= 3:
                break
    return seconds, sizes, errors


def computed(scenario, row, where):
    """One data set, the columns of its results, and the number of its draws."""
    (dataset,) = datasets = drawn(scenario["data"], row, **where)
    tests, draws = assess_datasets(with_values(datasets, scenario), scenario, **where)
    return dataset, tests, len(draws["value"])


def truth_seconds(scenario, row, dataset, *, stream, seed):
    """Processor time for the truth of a data set's metrics, in the mean over the data sets of the scenario."""
    if scenario["table"] or not has_truth(scenario):
        return 0.0
    start = time.process_time()
    data, columns = scenario["data"] | {"stream": stream}, truth_columns(scenario)
    true_metrics(data, row, [dataset], scenario, seed=seed, columns=columns)
    return (time.process_time() - start) * truth_datasets(scenario) / scenario["datasets"]


def spread_rows(design, number):
    """Rows at evenly spaced quantiles of n, ordered so that the first few are spread too; without n, the first rows."""
    rows = np.argsort(design["n"], kind="stable") if "n" in design else np.arange(BLOCK)
    if "n" in design:
        rows = rows[((np.arange(number) + 0.5) * len(rows) / number).astype(int)]
    middle_out = np.argsort([bin(k)[:1:-1] for k in range(number)], kind="stable")
    return rows[:number][middle_out]


def cost_text(name, plan):
    """The cost of one scenario in a line, and another one if data sets of its pilot failed."""
    cost, chunk = plan.cost, min(plan.chunk, plan.datasets)
    text = (
        f"{name}: {count(plan.datasets, 'data set')}, {plan.seconds_per_dataset:.3g} s each; in chunks of {chunk:,}"
        f" ({duration(chunk * plan.seconds_per_dataset)} per job): {count(cost.jobs, 'job')},"
        f" {cost.core_hours:.3g} core-hours"
    )
    return text + f"\n  pilot data sets: {plan.failed}" * bool(plan.failed)


def plans_text(plans, cores):
    """Time, memory, disk and Monte Carlo error of some scenarios together."""
    cost, memory = total_cost(plans), max(plan.memory_mb for plan in plans)
    here = duration(wall_seconds(plans, cores, 2 * STEP_OVERHEAD_SECONDS))
    waiting = CLUSTER_SECONDS + cost.jobs / SUBMITTED_PER_SECOND
    there = duration(wall_seconds(plans, CLUSTER_JOBS, JOB_OVERHEAD_SECONDS) + waiting)
    runtime, disk = max(plan.runtime for plan in plans), sum(plan.disk_mb for plan in plans)
    fewest, cells = min(plan.per_cell for plan in plans), sum(plan.cells for plan in plans)
    in_cells = f" in each of {cells} cells" if cells > 1 else ""
    lines = [f"Total: {count(cost.jobs, 'job')}, {cost.core_hours:.3g} core-hours"] if len(plans) > 1 else []
    lines += [
        f"  here, on {count(cores, 'core')}: {here}, {cores * memory:,} MB of memory, {disk:,.0f} MB of disk",
        f"  on a cluster, {CLUSTER_JOBS} jobs at a time: {there} and the time in the queue,"
        f" {memory:,} MB and {runtime} min to request per job, {disk:,.0f} MB of disk",
        f"  Monte Carlo standard error of a rejection rate{in_cells}: {mcse(fewest):.4f} at 5 %,"
        f" {mcse(fewest, 0.5):.4f} at most",
    ]
    return "\n".join(lines)


def mcse_text(plans, error):
    """Number of data sets needed for a standard error of `error`, and their cost."""
    per_cell = datasets_for(error)
    larger = [replace(plan, datasets=per_cell * plan.cells) for plan in plans]
    datasets, cells = sum(plan.datasets for plan in larger), sum(plan.cells for plan in plans)
    each = f" ({per_cell:,} in each of {cells} cells)" if cells > 1 else ""
    return (
        f"  a standard error of {error:g} at a rate of 5 % needs {datasets:,} data sets{each}:"
        f" {total_cost(larger).core_hours:.3g} core-hours"
    )


def duration(seconds):
    """A time in seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def write_plans(plans, path):
    """Add plans to the plan file, replacing those of the same scenarios."""
    keys = ("datasets", "seconds_per_dataset", "memory_mb", "disk_mb", "runtime")
    new = {name: {key: getattr(plan, key) for key in keys} for name, plan in plans.items()}
    with written_whole(path) as temporary:
        temporary.write_text(yaml.safe_dump(read_plan(path) | new, sort_keys=True))


def write_chunk(path, chunk, finished):
    """Write a chunk size to a scenario file, unless that would rename finished chunks; returns a message."""
    if finished:
        return f"chunk size not changed in {path}: finished chunks would have to be recomputed"
    text = path.read_text()
    changed, found = re.subn(r"^chunk: *\d+", f"chunk: {chunk}", text, flags=re.MULTILINE)
    path.write_text(changed if found else f"{text.rstrip()}\nchunk: {chunk}\n")
    return f"chunk: {chunk} written to {path}"


def main(options):
    """Time the pilots, print the plans and save them."""
    if options.mcse is not None and not 0 < options.mcse < 0.5:
        raise ConfigError(f"--mcse must be between 0 and 0.5, not {options.mcse:g}")
    logging.disable(logging.CRITICAL)  # errors of pilot data sets are counted in the summary
    settings, known = configured(options.config)
    chosen = chosen_scenarios(options.scenarios, known)
    plans: dict = {}
    files: dict = {}
    for name, scenario in chosen.items():
        plans[name] = make_plan(scenario, settings["seed"])
        files.setdefault(Path(scenario["file"]), []).append(name)
        print(cost_text(name, plans[name]), flush=True)
    print(plans_text(plans.values(), options.cores))
    if options.mcse:
        print(mcse_text(plans.values(), options.mcse))
    for path, names in files.items():
        chunk = min(plans[name].recommended_chunk for name in names)
        if options.write:
            finished = any(any(Path("results", name, "chunks").glob("*/*.parquet")) for name in names)
            print(f"  {write_chunk(path, chunk, finished)}")
        elif any(min(chunk, plans[name].datasets) != min(plans[name].chunk, plans[name].datasets) for name in names):
            print(f"  recommended in {path.name}: chunk: {chunk}, for jobs of {MINUTES_PER_JOB:.0f} min (--write)")
    usable = {name: plan for name, plan in plans.items() if plan.usable}
    if usable:
        write_plans(usable, options.output)
        print(f"Saved to {options.output}: cluster runs request this memory and time.")
    return 0 if len(usable) == len(plans) else 1
