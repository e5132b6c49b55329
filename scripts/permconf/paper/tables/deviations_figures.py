"""Single figures under other choices: permutations of Fig. 4, size and correlation of Fig. 3, effects of Fig. 5, the
learner of Fig. 6, other random data of Section 4."""

from itertools import chain, product
from pathlib import Path

import numpy as np
import pandas as pd

from permconf.method.population_correction import relative_columns
from permconf.paper.claims.checks import normal_distance
from permconf.study.assessments import assess_datasets
from permconf.study.datasets import read_datasets, simulate
from permconf.study.tables import read_table

REPEATS, DRAWS = 10, 200


def _assessed(scenario, design, seed, stream, **changes):
    """Tests and draws of a scenario for the rows of a design, with some settings changed."""
    datasets = simulate(scenario["data"], design, stream=stream, seed=seed)
    tests, draws = assess_datasets(datasets, scenario | changes, stream=stream, seed=seed)
    return pd.DataFrame(tests), pd.DataFrame(draws)


def _repeated(parameters, repeats):
    """A design with the same parameters in every row."""
    return {"dataset": np.arange(repeats)} | {name: np.full(repeats, value) for name, value in parameters.items()}


def truncation(scenario, seed, draws=1000):
    """Fig. 4a: where the "purple" correction is truncated, with 10,000 permutations (as run) and with fewer."""
    datasets = chain.from_iterable(map(read_datasets, sorted(Path("results/fig04/datasets").glob("*.npz"))))
    fewer, _ = assess_datasets(datasets, scenario | {"permutations": draws}, stream=scenario["stream"], seed=seed)
    for tests in (read_table("results/fig04/tests.parquet"), pd.DataFrame(fewer)):
        b = int(tests["n_permutations"].iloc[0])
        outside = tests[(tests["response_p"] == 1) | (tests["response_p"] * (1 + b) < 1.5)]
        level = outside["corrected_quantile"].abs().mean()
        yield {"figure": "4a", "choice": f"{b:,} permutations", "found": f"truncated at {level:.3f} on average"}


def illustration(scenario, seed, sizes=(500, 1000, 2000), correlations=(0.2, 0.5, 0.8)):
    """Fig. 3: mean of the null and observed AUC in panels b, c and d, averaged over data sets."""
    for n, rho in product(sizes, correlations):
        means = []
        for panel, row in zip("bcd", scenario["data"]["rows"], strict=True):
            counts = {name: value * n // 1000 for name, value in row.items() if name.startswith("n")}
            design = _repeated(row | counts | {"theta": 1, "rho": rho}, REPEATS)
            tests, _ = _assessed(scenario, design, seed, f"deviations/fig03/{n}/{rho}/{panel}", permutations=DRAWS)
            means.append(f"{panel} {tests['restricted_mean'].mean():.3f} / {tests['observed'].mean():.3f}")
        yield {"figure": "3", "choice": f"n = {n:,}, rho = {rho}", "found": ", ".join(means)}


def regression_effects(scenario, seed, effects=((0.5, 0.5, 0.5), (1.5, 1.5, 0.5), (3, 3, 3))):
    """Fig. 5 with 100 test samples: distance of the nulls of the mean squared error from normal, for other effects."""
    for values in effects:
        names = dict(zip(("beta_xc", "beta_yc", "beta_xy"), values, strict=True))
        design = _repeated(names | {"n": 200, "p": 0.5}, 1)
        _, draws = _assessed(scenario, design, seed, f"deviations/fig05/{values}", metrics=["mse"], permutations=5000)
        distances = {null: normal_distance(d["value"].to_numpy()) for null, d in draws.groupby("null")}
        found = f"distance from normal: restricted {distances['restricted']:.3f}, standard {distances['standard']:.3f}"
        yield {"figure": "5f", "choice": "effects " + ", ".join(map(str, values)), "found": found}


def unpenalised(scenario, seed):
    """Fig. 6 with 15 training samples: how often logistic regression without penalty has no solution."""
    parameters = {name: value for name, value in scenario["data"]["parameters"].items() if name != "n"}
    design = _repeated(parameters | {"n": 30}, REPEATS)
    tests, _ = _assessed(scenario, design, seed, "deviations/fig06", learner="logistic", permutations=DRAWS)
    fits = REPEATS * (1 + 2 * DRAWS)
    flagged = tests.drop_duplicates("dataset")["flagged"].sum() / fits
    yield {"figure": "6a, d", "choice": "no penalty", "found": f"{flagged:.0%} of fits separate the classes or diverge"}


def section4(development, baseline, seed):
    """Section 4: spread of its numbers over other data with the same cell counts."""
    stream = "deviations/section4"
    design = _repeated(development["data"]["parameters"], REPEATS)
    changes = {"nulls": ["restricted"], "permutations": DRAWS}
    tests = [_assessed(scenario, design, seed, stream, **changes)[0] for scenario in (development, baseline)]
    table = pd.DataFrame(relative_columns(*tests))
    by = table.groupby("relative_to")["corrected"]
    observed = table["observed"]
    texts = [f"observed {observed.mean():.3f} (sd {observed.std():.3f})"]
    texts += [f"corrected, {name} {values.mean():.3f} (sd {values.std():.3f})" for name, values in by]
    yield {"figure": "11", "choice": f"{REPEATS} other data sets", "found": ", ".join(texts)}
