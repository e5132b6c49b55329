"""A small table with two classes, confounders of several kinds, and subjects."""

import numpy as np
import pandas as pd
import pytest


def make_table(rows=120, seed=1):
    """Rows in order of their subjects, three of each; sex and ill are constant within subjects."""
    rng = np.random.default_rng(seed)
    subject = np.arange(rows) // 3
    count = subject.max() + 1
    sex = rng.choice(["f", "m"], count)
    ill = rng.random(count) < np.where(sex == "m", 0.7, 0.3)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=["a", "b", "c"])
    frame["a"] += 0.8 * ill[subject] + 0.8 * (sex[subject] == "m")
    frame["site"] = rng.choice(["u", "v", "w"], rows)
    frame["age"] = rng.normal(50, 10, rows).round(1)
    return frame.assign(sex=sex[subject], ill=np.where(ill, "yes", "no")[subject], subject=subject)


@pytest.fixture
def data():
    """The table, fresh for every test."""
    return make_table()


@pytest.fixture
def options():
    """Options of an audit of the table that takes little time."""
    return {"response": "ill", "confounders": "sex", "features": ["a", "b", "c"], "permutations": 19}
