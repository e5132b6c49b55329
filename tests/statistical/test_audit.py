"""Type I error and coverage of an audit with folds, repeats and subjects, on tables whose truth is known."""

import numpy as np
import pandas as pd
import pytest

from permconf import audit

pytestmark = [pytest.mark.statistical, pytest.mark.slow]

TABLES = 200
AT_MOST = 0.05 + 3 * np.sqrt(0.05 * 0.95 / TABLES)
OPTIONS = {"response": "y", "confounders": "c", "features": ["x1", "x2", "x3"]}


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


def audits(make, *, permutations=99, **options):
    return [audit(make(seed), **OPTIONS | options, permutations=permutations, seed=seed) for seed in range(TABLES)]


def rate(answers, name):
    return np.mean([getattr(answer, name) <= 0.05 for answer in answers])


@pytest.mark.parametrize("options", [{"cv": 5}, {"cv": 5, "repeats": 2}, {"metric": "accuracy", "cv": 5}])
def test_response_test_with_folds(options):
    """The confounder acts on features and response, the response acts on nothing."""
    answers = audits(lambda seed: table(seed, read=1.0, associated=2.0), **options)
    assert rate(answers, "response_p") <= AT_MOST


@pytest.mark.parametrize("options", [{"cv": 5}, {"cv": 5, "repeats": 2}])
def test_prediction_test_with_folds(options):
    """The response acts on the features; the confounder is associated with the response only."""
    answers = audits(lambda seed: table(seed, learned=1.0, associated=2.0), **options, permutations=2)
    assert rate(answers, "prediction_p") <= AT_MOST
    assert rate(answers, "confounding_p") <= AT_MOST


def test_confounder_without_association():
    """The confounder acts on the features, but is independent of the response."""
    answers = audits(lambda seed: table(seed, learned=1.0, read=1.0, associated=0.0), cv=5, permutations=2)
    assert rate(answers, "association_p") <= AT_MOST
    assert rate(answers, "confounding_p") <= AT_MOST
    assert rate(answers, "prediction_p") > 0.5


def test_records_of_subjects_with_groups():
    """Ten records per subject and no signal: tests hold their level, and intervals cover 0.5."""
    answers = audits(records, groups="subject")
    for name in ("response_p", "association_p", "prediction_p", "confounding_p"):
        assert rate(answers, name) <= AT_MOST, name
    covered = [low <= 0.5 <= high for low, high in (answer.observed_interval for answer in answers)]
    assert np.mean(covered) >= 1 - AT_MOST
    claims = [answer.record_wise.observed for answer in answers]
    assert np.mean(claims) > 0.5 + 5 * np.std(claims) / np.sqrt(TABLES)


def test_records_of_subjects_without_groups():
    """What goes wrong if records are taken for independent rows."""
    answers = audits(records)
    assert rate(answers, "response_p") > 0.3
    assert rate(answers, "prediction_p") > 0.15
    covered = [low <= 0.5 <= high for low, high in (answer.observed_interval for answer in answers)]
    assert np.mean(covered) < 0.7
