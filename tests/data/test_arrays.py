"""Every function that takes arrays: row labels, masks and the order of bytes."""

import numpy as np
import pandas as pd
import pytest

from permconf import (
    algorithm2,
    assess,
    association_test,
    combined_test,
    conditional_shuffle,
    conditional_test,
    metric_values,
    population_split,
    prediction_test,
    restricted_shuffle,
    reweighted_metric,
    training_weights,
)

RNG = np.random.default_rng(8)
Y = RNG.permutation(np.arange(80) % 2)
C = np.where(RNG.random(80) < 0.3, 1 - Y, Y)
AGE = RNG.standard_normal(80) + Y
X = RNG.standard_normal((80, 3)) + Y[:, None]


def assessed(*data):
    return assess(*data, permutations=20, seed=1)


def shuffled(test, *data):
    return test(*data, shuffles=5, inner=2, seed=1)


SHARES = {(y, c): 0.25 for y in (0, 1) for c in (0, 1)}
LABELLED = {"X": pd.DataFrame(X), **{k: pd.Series(v) for k, v in {"y": Y, "c": C, "scores": AGE}.items()}}
LABELLED["groups"] = LABELLED["parts"] = pd.Series(np.arange(80) % 20)
SETS = {f"{k}_train": LABELLED[k][:40] for k in "Xyc"} | {f"{k}_test": LABELLED[k][40:] for k in "Xyc"}
MATRICES = {name: SETS[name.lower() if name[0] == "Y" else name] for name in ("X_train", "Y_train", "X_test", "Y_test")}
FUNCTIONS = {
    "reweighted_metric": (
        lambda **a: reweighted_metric(a.pop("y"), a.pop("scores"), a.pop("c"), bootstrap=9, **a),
        ("y", "scores", "c", "groups"),
    ),
    "training_weights": (lambda **a: training_weights(a.pop("y"), a.pop("c"), **a), ("y", "c", "groups")),
    "prediction_test": (
        lambda **a: prediction_test(a.pop("scores"), a.pop("y"), a.pop("c"), permutations=9, **a),
        ("scores", "y", "c", "parts"),
    ),
    "association_test": (
        lambda **a: association_test(a.pop("y"), a.pop("c"), permutations=9, **a),
        ("y", "c", "groups", "parts"),
    ),
    "conditional_shuffle": (
        lambda y, scores: conditional_shuffle(y, scores, 2, rng=np.random.default_rng(1)),
        ("y", "scores"),
    ),
    "restricted_shuffle": (lambda y, c: restricted_shuffle(y, c, 2, rng=np.random.default_rng(1)), ("y", "c")),
    "population_split": (lambda y, c: population_split(y, c, rng=np.random.default_rng(1), shares=SHARES), ("y", "c")),
    "metric_values": (lambda **a: metric_values(*a.values()), tuple(MATRICES)),
    "conditional_test": (lambda **a: shuffled(conditional_test, *a.values()), tuple(SETS)),
    "algorithm2": (lambda **a: shuffled(algorithm2, *a.values()), tuple(SETS)),
    "combined_test": (lambda **a: shuffled(combined_test, *a.values()), tuple(SETS)),
    "assess": (lambda **a: assessed(*a.values()), tuple(SETS)),
}
TURNED = [(function, name) for function, (_, names) in FUNCTIONS.items() for name in names]


@pytest.mark.parametrize(("function", "turned"), TURNED)
def test_rows_in_another_order_are_refused_by_every_function(function, turned):
    """The rows were taken by their places, and an AUC of .90 became one of .59."""
    call, names = FUNCTIONS[function]
    given = {name: (LABELLED | SETS | MATRICES)[name] for name in names}
    with pytest.raises(ValueError, match="have the same row labels in a different order; align them, "):
        call(**given | {turned: given[turned][::-1]})


@pytest.mark.parametrize("function", FUNCTIONS)
def test_rows_in_the_same_order_or_without_labels_are_taken(function):
    call, names = FUNCTIONS[function]
    given = {name: (LABELLED | SETS | MATRICES)[name] for name in names}
    results = [call(**given), call(**{k: v.to_numpy() for k, v in given.items()})]
    results.append(call(**given | {names[0]: given[names[0]].reset_index(drop=True)}))
    assert len({repr(result) for result in results}) == 1


def _refused(call, given):
    with pytest.raises(ValueError, match=r"missing|finite") as error:
        call(**given)
    return str(error.value)


@pytest.mark.parametrize(("function", "masked"), TURNED)
def test_masked_values_are_missing_ones(function, masked):
    """What lay behind the mask was used."""
    call, names = FUNCTIONS[function]
    given = {name: (LABELLED | SETS | MATRICES)[name].to_numpy() for name in names}
    mask = np.zeros(given[masked].shape, bool)
    assert repr(call(**given | {masked: np.ma.array(given[masked], mask=mask)})) == repr(call(**given))
    mask[7] = True
    missing = given | {masked: np.where(mask, np.nan, given[masked])}
    assert _refused(call, given | {masked: np.ma.array(given[masked], mask=mask)}) == _refused(call, missing)
    text = np.ma.array(given[masked].astype(str), mask=mask)
    assert masked[0] == "X" or masked == "scores" or _refused(call, given | {masked: text})


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_order_of_bytes_does_not_matter(function):
    call, names = FUNCTIONS[function]
    given = {name: (LABELLED | SETS | MATRICES)[name] for name in names}
    turned = {k: v.to_numpy().astype(v.to_numpy().dtype.newbyteorder(">")) for k, v in given.items()}
    labelled = {k: pd.DataFrame(v) if v.ndim == 2 else pd.Series(v) for k, v in turned.items()}
    assert repr(call(**turned)) == repr(call(**labelled)) == repr(call(**given))
