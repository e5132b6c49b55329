"""Audits of real data sets that come with scikit-learn and with R packages: values, verdicts, spread over seeds.

`python -m permconf_study.benchmarks.answers_real TABLE.csv` writes a row for every data set. Each is audited ten times
by five-fold cross-validation, with other folds: the spread of a value over seeds is to be smaller than its printed
standard error. R (`Rscript`) is needed for most of them.
"""

import io
import subprocess
import sys
import time
from collections import Counter
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from permconf import audit

SEEDS = 10
Z95 = 3.92  # width of a 95 % interval in standard errors


class Data(NamedTuple):
    """Where a table comes from (an R expression, or a loader of scikit-learn), and the roles of its columns."""

    name: str
    source: object
    response: str
    confounders: tuple[str, ...]
    drop: tuple[str, ...] = ()
    options: dict = {}

    def table(self) -> pd.DataFrame:
        """Complete rows of the columns that are used."""
        if callable(self.source):
            frame = self.source(as_frame=True).frame
        else:
            code = f"write.csv(as.data.frame({self.source}), row.names = FALSE)"
            frame = pd.read_csv(io.StringIO(subprocess.check_output(["Rscript", "-e", code], text=True)))
        return frame.drop(columns=list(self.drop)).dropna().reset_index(drop=True)


NUMBERS = {"learner": "ridge_regression", "metric": "r2"}
DATA = (
    Data("Pima (diabetes)", "rbind(MASS::Pima.tr, MASS::Pima.te)", "type", ("age", "npreg")),
    Data("birthwt (low weight)", "MASS::birthwt", "low", ("race", "age"), ("bwt",)),
    Data("infert (matched)", "datasets::infert", "case", ("age", "parity"), ("stratum", "pooled.stratum")),
    Data("pbc (death)", "transform(survival::pbc, status = status == 2)", "status", ("age", "sex"), ("id", "time")),
    Data("lung (death)", "transform(survival::lung, status = status == 2)", "status", ("inst", "sex"), ("time",)),
    Data("penguins (sex)", "palmerpenguins::penguins", "sex", ("species",), ("island", "year")),
    Data("Titanic (survival)", "carData::TitanicSurvival", "survived", ("passengerClass",)),
    Data("Mroz (employment)", "carData::Mroz", "lfp", ("age", "k5")),
    Data(
        "Affairs",
        "{data(Affairs, package = 'AER'); transform(Affairs, affairs = affairs > 0)}",
        "affairs",
        ("yearsmarried", "gender"),
    ),
    Data("mtcars (gearbox)", "datasets::mtcars[c('am', 'cyl', 'qsec', 'drat')]", "am", ("cyl",)),
    Data("breast cancer", load_breast_cancer, "target", ("mean radius",), options={"positive": 0}),
    Data("wine (three classes)", load_wine, "target", ("alcohol",), options={"metric": "accuracy"}),
    Data("diabetes (numeric)", load_diabetes, "target", ("age", "sex"), options=NUMBERS),
)


def row(data: Data) -> dict:
    """The audit with the first seed, and how much it moves with the others."""
    table = data.table()
    options = {"learner": "ridge_logistic", "cv": 5, "permutations": 99} | data.options
    audits, seconds = [], []
    for seed in range(SEEDS):
        start = time.perf_counter()
        audits.append(audit(table, response=data.response, confounders=list(data.confounders), seed=seed, **options))
        seconds.append(time.perf_counter() - start)
    first, verdicts = audits[0], Counter(one.verdict for one in audits)
    values = {"data": data.name, "rows": len(table), "confounders": " and ".join(data.confounders)}
    values |= {"metric": first.metric, "verdict": first.verdict, "verdicts": verdicts[first.verdict]}
    for target in ("observed", "reweighted", "overlap"):
        found = [one.headline.estimate(target) for one in audits]
        each = np.array([one.value for one in found])
        errors = np.array([(one.high - one.low) / Z95 for one in found])
        values |= {target: each[0], f"{target}_low": found[0].low, f"{target}_high": found[0].high}
        given = np.isfinite(each)
        values |= {f"{target}_spread": np.std(each[given], ddof=1) if given.sum() > 1 else np.nan}
        values |= {f"{target}_error": errors[given].mean() if given.any() else np.nan}
    made = first.headline.estimates
    assert made is not None
    return values | {"balance": made.balance, "reason": made.reweighted.reason, "seconds": min(seconds)}


def main(path: str) -> None:
    """Write the table."""
    rows = []
    for data in DATA:
        rows.append(row(data))
        pd.DataFrame(rows).to_csv(path, index=False, float_format="%.4f")


if __name__ == "__main__":
    main(sys.argv[1])
