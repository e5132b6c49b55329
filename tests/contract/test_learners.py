"""What the null engine relies on in any learner."""

import numpy as np
import pytest

from permconf.engine.scores import KINDS
from permconf.learners import fitted_scores, make_learner

ROWS, TEST_ROWS, B = 60, 30, 5
SMALLER = {"trees": 10}  # options that make a learner quick


@pytest.fixture
def X(rng):
    return rng.standard_normal((ROWS + TEST_ROWS, 3))


@pytest.fixture
def keys(rng):
    return rng.integers(0, 2**64, B, dtype=np.uint64)


@pytest.fixture
def responses(X, rng):
    """Responses of both tasks, related to the first feature."""
    values = X[:, :1] + rng.standard_normal((len(X), B))
    return {"classification": (values > 0).astype(np.uint8), "regression": values}


@pytest.fixture
def learner(learner_name):
    try:
        return make_learner({"name": learner_name, **SMALLER})
    except ValueError:
        return make_learner(learner_name)


def scores_of(learner, X, Y, keys):
    scores = fitted_scores(learner, X[:ROWS], Y[:ROWS], X[ROWS:], keys)
    assert scores.flagged.shape == (Y.shape[1],)
    assert scores.kind in KINDS
    return scores.values


def usable(learner, X, responses, keys, sentence):
    """The responses that the learner is for; it refuses the other kind, if it does, with a sentence."""
    accepted, refusals = {}, []
    for task, Y in responses.items():
        try:
            scores_of(learner, X, Y, keys)
            accepted[task] = Y
        except ValueError as error:
            refusals.append(error)
    assert all(map(sentence, refusals)), refusals
    assert accepted, f"it learns neither classes nor values ({'; '.join(map(str, refusals))})"
    return accepted.items()


def test_scores_are_a_finite_number_per_test_row_and_response(learner, X, responses, keys, sentence):
    for task, Y in usable(learner, X, responses, keys, sentence):
        scores = scores_of(learner, X, Y, keys)
        assert scores.shape == (TEST_ROWS, B), task
        assert scores.dtype == np.float64, task
        assert np.isfinite(scores).all(), task


def test_the_same_keys_give_the_same_scores(learner, X, responses, keys, sentence):
    for task, Y in usable(learner, X, responses, keys, sentence):
        np.testing.assert_array_equal(scores_of(learner, X, Y, keys), scores_of(learner, X, Y, keys), task)


def test_a_batch_of_b_equals_b_batches_of_one(learner, X, responses, keys, sentence):
    for task, Y in usable(learner, X, responses, keys, sentence):
        together = scores_of(learner, X, Y, keys)
        alone = np.concatenate([scores_of(learner, X, Y[:, [k]], keys[[k]]) for k in range(B)], axis=1)
        np.testing.assert_allclose(alone, together, rtol=1e-9, atol=1e-12, err_msg=task)


def test_arguments_are_left_alone(learner, X, responses, keys, sentence):
    for _, Y in usable(learner, X, responses, keys, sentence):
        kept = [array.copy() for array in (X, Y, keys)]
        scores_of(learner, X, Y, keys)
        for before, after in zip(kept, (X, Y, keys), strict=True):
            np.testing.assert_array_equal(before, after)


def test_fixed_scores_are_the_scores(learner, X, responses, keys):
    if not hasattr(learner, "fixed_scores"):
        pytest.skip("its scores depend on the response")
    fixed = learner.fixed_scores(X[ROWS:])
    for Y in responses.values():
        assert (scores_of(learner, X, Y, keys) == fixed[:, None]).all()


def test_unknown_options_are_refused_with_a_sentence(learner_name, sentence):
    with pytest.raises(ValueError, match=learner_name) as caught:
        make_learner({"name": learner_name, "no_such_option": 1})
    assert sentence(caught.value)


def test_three_classes_have_a_score_each_or_are_refused_with_a_sentence(learner, X, keys, rng, sentence):
    three = (X[:, :1] + rng.standard_normal((len(X), B)) > [[[-0.5]], [[0.5]]]).sum(axis=0).astype(np.uint8)
    scores, refusal = None, None
    try:
        with np.errstate(all="ignore"):  # one for two classes need not know; what it returns is then refused
            scores = fitted_scores(learner, X[:ROWS], three[:ROWS], X[ROWS:], keys)
    except ValueError as error:
        refusal = error
    if scores is None:
        assert sentence(refusal)
        return
    assert scores.values.shape == (TEST_ROWS, B, 3)
    assert np.isfinite(scores.values).all()
    if scores.kind != "value" or scores.probabilities is not None:
        np.testing.assert_allclose(scores.needed("probabilities").sum(axis=2), 1.0, atol=1e-9)


def test_probabilities_are_between_0_and_1_and_agree_with_the_scores(learner, X, responses, keys):
    Y = responses["classification"]
    try:
        scores = fitted_scores(learner, X[:ROWS], Y[:ROWS], X[ROWS:], keys)
        probabilities = scores.needed("probabilities")
    except ValueError:
        pytest.skip("it is for numbers, or gives no probabilities")
    assert probabilities.shape == (TEST_ROWS, B)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    np.testing.assert_array_equal(probabilities > 0.5, scores.needed("scores") > 0)
