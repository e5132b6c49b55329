"""Simulated tables on which the tests of an audit have a known answer."""

import numpy as np
import pandas as pd


def table(seed, *, rows=100, learned=0.0, read=0.0, associated=1.0, numeric=False):
    """A table with response y, confounder c and features x1 to x3.

    The response acts on x1 with strength `learned`, the confounder with strength `read`; `associated` is the strength
    of the association of confounder and response.
    """
    rng = np.random.default_rng(seed)
    c = rng.normal(size=rows) if numeric else rng.integers(0, 2, rows).astype(float)
    centred = c if numeric else c - 0.5
    y = (rng.random(rows) < 1 / (1 + np.exp(-associated * centred))).astype(int)
    X = rng.normal(size=(rows, 3))
    X[:, 0] += learned * y + read * c
    return pd.DataFrame(X, columns=["x1", "x2", "x3"]).assign(y=y, c=c if numeric else np.where(c > 0, "b", "a"))


def records(seed, *, subjects=30, each=10, read=0.0, associated=0.0):
    """A table of several records per subject, without any effect of the response on the features.

    Features are those of the subject plus noise, so records of a subject are alike. Response and confounder are
    constant within subjects.
    """
    rng = np.random.default_rng(seed)
    c = rng.integers(0, 2, subjects)
    y = rng.permutation(np.arange(subjects) % 2)
    if associated:
        y = (rng.random(subjects) < 1 / (1 + np.exp(-associated * (c - 0.5)))).astype(int)
    traits = rng.normal(size=(subjects, 3)) + read * c[:, None]
    subject = np.repeat(np.arange(subjects), each)
    X = traits[subject] + 0.5 * rng.normal(size=(subjects * each, 3))
    columns = {"y": y[subject], "c": np.where(c, "b", "a")[subject], "subject": subject}
    return pd.DataFrame(X, columns=["x1", "x2", "x3"]).assign(**columns)
