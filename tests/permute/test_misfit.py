import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.data.sample import Subjects
from permconf.permute.misfit import ALPHA, misfit

ROWS = 500


def found(log_odds, c, rng, **options):
    y = (rng.random(len(c)) < expit(log_odds)).astype(int)
    return misfit(Response.of(y, name="ill"), Confounders.of(c), options.get("subjects"), rng)


@pytest.fixture
def c(rng):
    return pd.DataFrame(rng.standard_normal((ROWS, 2)), columns=["age", "weight"])


def test_an_effect_that_depends_on_the_sign_of_another_confounder(c, rng):
    one = found(2 * np.sign(c["age"] * c["weight"]), c, rng)
    assert one.p <= 0.01
    assert one.problem.startswith("the model of ill given the confounders does not follow how ill varies with age and")


def test_an_effect_of_the_signs_of_three_confounders(c, rng):
    three = c.assign(height=rng.standard_normal(ROWS))
    assert found(2 * np.sign(three.prod(axis=1)), three, rng).problem.count(" and ") == 2


def test_categorical_confounders_need_no_model(c, rng):
    one = misfit(Response.of(c["age"] > 0), Confounders.of(c["weight"] > 0), None, rng)
    assert np.isnan(one.p)
    assert one.problem == ""


@pytest.mark.statistical
@pytest.mark.parametrize("kind", ["classes", "groups", "numbers"])
def test_false_alarms(kind, rng):
    repeats, alarms = 150, 0
    for _ in range(repeats):
        c = rng.standard_normal((200, 2))
        subjects = None
        if kind == "groups":
            c, subjects = np.repeat(c[:100], 2, axis=0), Subjects.of(np.repeat(np.arange(100), 2))
        y = c[:, 0] + c[:, 1] ** 2 + rng.logistic(size=200)
        if kind == "groups":
            y = np.repeat(y[::2], 2)
        y = y if kind == "numbers" else (y > 0).astype(int)
        alarms += misfit(Response.of(y), Confounders.of(c), subjects, rng).problem != ""
    assert alarms / repeats <= ALPHA + 3 * np.sqrt(ALPHA * (1 - ALPHA) / repeats)


def test_a_confounder_that_separates_the_classes_leaves_nothing_to_check(c, rng):
    separated = Response.of((c["age"] > 0).astype(int), name="ill")
    assert misfit(separated, Confounders.of(c[["age"]]), None, rng).problem == ""
