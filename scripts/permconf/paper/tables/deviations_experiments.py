"""The four experiments of Fig. 8 under other choices: another p-value, split, Latin hypercube or learner."""

from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr
from threadpoolctl import threadpool_limits

from permconf.method.random_streams import Streams
from permconf.study.assessments import assess_datasets
from permconf.study.chunks import BLOCK
from permconf.study.datasets import read_datasets, simulate
from permconf.study.design import design_block
from permconf.study.latin_hypercube import plain_hypercube
from permconf.study.tables import read_table

EXPERIMENTS = ("exp1", "exp2", "exp3", "exp4")
LEVEL = 0.05
RERUNS = ("stratified split", "plain random Latin hypercube", "Latin hypercube, best of 5 random ones")


def rerun(variant, scenario, seed):
    """The tests of an experiment under one of RERUNS."""
    with threadpool_limits(1):
        if variant == "stratified split":
            analysis = scenario | {"split": {"name": "stratified"}}
            paths = sorted(Path("results", scenario["name"], "datasets").glob("*.npz"))
            datasets = chain.from_iterable(map(read_datasets, paths))
        else:
            analysis, criterion = scenario, None if "plain" in variant else "maximin"
            datasets = _with_hypercube(scenario, criterion, seed)
        tests, _ = assess_datasets(datasets, analysis, stream=scenario["stream"], seed=seed)
    return pd.DataFrame(tests)


def _with_hypercube(scenario, criterion, seed):
    """The data sets of a scenario at the points of another hypercube; the data have the streams of the study."""
    data, streams = scenario["data"], Streams(seed, scenario["stream"])
    spread = {k: s for k, s in data["parameters"].items() if isinstance(s, dict) and {"range", "integers"} & s.keys()}
    unit = plain_hypercube(BLOCK, len(spread), criterion, rng=streams.rng("deviations/design"))
    rows = [dict(zip(spread, map(_scaled, spread.values(), point), strict=True)) for point in unit]
    others = {name: spec for name, spec in data["parameters"].items() if name not in spread}
    design = design_block(data | {"parameters": others, "rows": rows}, 0, streams)
    design = {name: column[: scenario["datasets"]] for name, column in design.items()}
    return simulate(data, design, stream=scenario["stream"], seed=seed)


def _scaled(spec, u):
    if "integers" in spec:
        low, high = spec["integers"]
        return int(low + np.floor(u * (high - low + 1)))
    low, high = spec["range"]
    return low + u * (high - low)


def variants(scenarios, seed, pool):
    """Rejection rates and medians of the study as it ran and under each other choice, one row each."""
    as_run = {name: _ok(read_table(f"results/{name}/tests.parquet")) for name in EXPERIMENTS}
    rows = [_row("as run", as_run)]
    rows.append(_row("p-value of the text, count / b", {name: _p_of_the_text(t) for name, t in as_run.items()}))
    rows.append(_row("confounding test two-sided", {name: _two_sided(t) for name, t in as_run.items()}))
    jobs = {(v, name): pool.submit(rerun, v, scenarios[name], seed) for v in RERUNS for name in EXPERIMENTS}
    for variant in RERUNS:
        rows.append(_row(variant, {name: _ok(jobs[variant, name].result()) for name in EXPERIMENTS}))
    return rows + _forest_rows(as_run)


def _ok(tests):
    return tests[tests["status"] == "ok"]


def _p_of_the_text(tests):
    """The proportion of draws at least as good as the observed value, without counting that value itself."""
    b = tests["n_permutations"]
    return tests.assign(response_p=((1 + b) * tests["response_p"] - 1) / b)


def _two_sided(tests):
    return tests.assign(confounding_p=2 * ndtr(-tests["confounding_z"].abs()))


def _forest_rows(as_run):
    """Forests and logistic regression on the data sets that `make forests` has assessed, if it has."""
    paths = {name: Path(f"results/{name}_forest/tests.parquet") for name in EXPERIMENTS}
    if not all(path.exists() for path in paths.values()):
        return []
    forests = {name: _ok(read_table(path)) for name, path in paths.items()}
    same = {name: as_run[name][as_run[name]["dataset"].isin(forests[name]["dataset"])] for name in EXPERIMENTS}
    return [_row("random forests", forests), _row("logistic regression, the same data sets", same)]


def _row(variant, tests):
    row = {"choice": variant, "data sets": min(map(len, tests.values()))}
    for test in ("response", "confounding"):
        row |= {f"{test} {k}": (t[f"{test}_p"] <= LEVEL).mean() for k, t in enumerate(tests.values(), start=1)}
    return row | {f"corrected {k}": t["corrected"].median() for k, t in enumerate(tests.values(), start=1)}
