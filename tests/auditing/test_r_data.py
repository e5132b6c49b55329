"""Data sets of R, exported by R itself: those on which a refitting test was a lottery over seeds."""

import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from permconf import audit
from permconf.data.table_files import read_data

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")]


@pytest.fixture
def exported(tmp_path):
    """A function that reads a data set of an R package."""

    def read(name, package):
        path = tmp_path / f"{name}.csv"
        code = f"if (!nzchar(system.file(package='{package}'))) quit(status = 9); data('{name}', package = '{package}')"
        code += f"; write.csv({name}, '{path}')"
        status = subprocess.run(["Rscript", "-e", code], capture_output=True, check=False).returncode
        if status == 9:
            pytest.skip(f"R package {package} is not installed")
        assert status == 0
        return read_data(path)

    return read


def infert(read):
    frame = read("infert", "datasets")
    columns = ["age", "parity", "induced", "spontaneous", "education", "case"]
    return frame[columns], {"response": "case", "confounders": "education"}, None


def pbc(read):
    columns = ["age", "sex", "bili", "albumin", "ast", "protime", "alk.phos", "edema"]
    frame = read("pbc", "survival").dropna(subset=[*columns, "status"])
    return frame[columns].assign(died=frame["status"] == 2), {"response": "died", "confounders": "sex"}, None


def respiratory(read):
    frame = read("respiratory", "HSAUR3")
    first = frame[frame["month"] == 0].set_index("subject")["status"]
    later = frame[frame["month"] > 0].drop(columns="month").assign(baseline=lambda f: f["subject"].map(first))
    return later, {"response": "status", "confounders": "centre", "groups": "subject"}, "subject"


@pytest.mark.parametrize("data", [infert, pbc, respiratory])
def test_p_values_do_not_move_with_the_seed(exported, data):
    """The standard deviation of the p-values over ten seeds, on one split, is below 0.02."""
    frame, options, groups = data(exported)
    unit = pd.Series(np.arange(len(frame)), frame.index) if groups is None else frame[groups]
    tested = unit.isin(np.random.default_rng(0).permutation(unit.unique())[: unit.nunique() // 2])
    split = np.where(tested, "test", "train")
    answers = [audit(frame, **options, split=split, permutations=99, seed=seed).to_frame() for seed in range(10)]
    spread = pd.concat(answers)[["association_p", "prediction_p", "confounding_p"]].std()
    assert spread.max() < 0.02, spread
