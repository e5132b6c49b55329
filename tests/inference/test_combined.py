"""The prediction test and the association test combined: which confounders have both links?"""

import numpy as np
import pandas as pd
import pytest

from permconf import association_test, combined, prediction_test
from permconf.inference.combined import holm


def two_links(rng, n=300):
    """Scores, response, a confounder only associated with the response, one only read, and one with both links."""
    y = rng.integers(0, 2, n)
    associated = (rng.random(n) < 0.2 + 0.6 * y).astype(int)
    read = rng.integers(0, 2, n)
    both = (rng.random(n) < 0.2 + 0.6 * y).astype(int)
    return (
        y + read + both + rng.standard_normal(n),
        y,
        pd.DataFrame({"associated": associated, "read": read, "both": both}),
    )


def test_each_confounder_needs_both_links(rng):
    scores, y, data = two_links(rng)
    prediction, association = prediction_test(scores, y, data), association_test(y, data)
    assert max(prediction.p, association.p) == 1e-4
    test = combined(prediction, association)
    assert list(test.by_confounder.columns) == ["confounder", "p", "association_p", "prediction_p", "sign"]
    assert test.p == test.by_confounder["p"][2] == pytest.approx(3e-4 / 0.9)  # a tenth of the level is that of pairs
    assert (test.by_confounder["p"][:2] > 0.05).all()
    without = data[["associated", "read"]]
    assert combined(prediction_test(scores, y, without), association_test(y, without)).p > 0.05
    assert repr(test) == f"CombinedResult(p={test.p})"
    tests = prediction_test(scores, y, data["read"]), association_test(y, data["read"])
    assert combined(*tests).p == max(test.p for test in tests)


@pytest.mark.slow
@pytest.mark.statistical
def test_one_link_each_is_not_rejected_too_often(rng):
    """Adjusted p-values of the two tests, instead of Holm's method, would reject in twice as many data sets."""
    rejections = loose = 0
    for seed in range(400):
        scores, y, data = two_links(rng, n=150)
        data = data[["associated", "read"]]
        tests = [
            prediction_test(scores, y, data, permutations=199, seed=seed),
            association_test(y, data, permutations=199, seed=seed),
        ]
        rejections += combined(*tests).p <= 0.05
        loose += np.min(np.maximum(*(test.by_confounder["p"] for test in tests))) <= 0.05
    assert rejections / 400 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert loose > rejections


def test_holm_is_the_plain_loop(rng):
    for k in (1, 2, 5):
        p, last = rng.random(k) ** 3, 0.0
        adjusted = holm(p)
        for step, j in enumerate(np.argsort(p)):
            last = max(last, min(1, (k - step) * p[j]))
            assert adjusted[j] == pytest.approx(last)


def test_the_tests_must_be_of_the_same_confounders(rng):
    scores, y, data = two_links(rng)
    prediction, association = prediction_test(scores, y, data), association_test(y, data)
    other_order = combined(prediction, association_test(y, data.iloc[:, ::-1])).by_confounder
    assert other_order["association_p"].tolist() == pytest.approx(
        combined(prediction, association).by_confounder["association_p"].tolist(), abs=0.03
    )
    for one, other in ((association, prediction), (prediction, prediction), (prediction, 1)):
        with pytest.raises(TypeError, match=r"must be the result of (prediction|association)_test, not"):
            combined(one, other)
    with pytest.raises(ValueError, match=r"the two tests are of different confounders, \['read'\] and \['both'\]"):
        combined(prediction_test(scores, y, data["read"]), association_test(y, data["both"]))
