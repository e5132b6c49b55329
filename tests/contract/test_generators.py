"""What the study relies on in any generator."""

import inspect

import numpy as np
import pytest

from permconf.generators import Generator, make_generator
from permconf.permute.random_streams import Streams
from permconf_study.study.design import design_block


@pytest.fixture
def generator(generator_name):
    return make_generator(generator_name)


@pytest.fixture
def parameters(generator, generator_name, scenarios, monkeypatch):
    """Those of the first data set of a scenario that uses the generator, or else a guess from their names."""
    monkeypatch.setattr("permconf_study.study.design.BLOCK", 20)
    for name, scenario in scenarios.items():
        if scenario["data"].get("generator") == generator_name and name == scenario["stream"]:
            design = design_block(scenario["data"], 0, Streams(1, name, 0))
            return {key: column[0] for key, column in design.items() if key != "dataset"}
    shares = dict.fromkeys(generator.probabilities, 1 / max(1, len(generator.probabilities)))
    return {name: shares.get(name, 60 if name.startswith("n") else 0.5) for name in generator.required}


def test_its_parameters_are_those_it_declares(generator):
    assert isinstance(generator, Generator)
    signature = inspect.signature(generator.sample).parameters
    assert next(iter(signature)) == "rng"
    kinds = {parameter.kind for name, parameter in signature.items() if name != "rng"}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}
    assert set(generator.probabilities) <= set(generator.required)


def test_features_response_and_confounder_have_one_row_per_sample(generator, parameters, rng):
    X, y, c = generator.sample(rng, **parameters)
    assert X.ndim == 2
    assert len(X) == len(y) == len(c) > 0
    assert y.ndim == 1
    assert c.ndim in (1, 2)
    assert X.dtype == np.float64
    assert np.isfinite(X).all()
    if generator.task == "regression":
        assert np.isfinite(np.asarray(y, float)).all()
    else:
        assert generator.task == "classification"
        assert np.unique(y).size < len(y)


def test_the_same_stream_gives_the_same_data_and_another_stream_other_data(generator, parameters):
    first, again, other = (generator.sample(np.random.default_rng(seed), **parameters) for seed in (1, 1, 2))
    for one, same in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, same)
    assert not np.array_equal(first[0], other[0])


def test_it_draws_from_its_stream_only(generator, parameters):
    np.random.seed(3)
    generator.sample(np.random.default_rng(1), **parameters)
    after = np.random.random()
    np.random.seed(3)
    assert after == np.random.random()


def test_its_worlds_have_rows_of_the_same_kind(generator, parameters):
    X, y, c = generator.sample(np.random.default_rng(1), **parameters)
    for world in generator.worlds.values():
        rows = world(np.random.default_rng(1), **parameters | {"n": 4000})
        assert [len(part) for part in rows] == [4000] * 3
        assert [part.shape[1:] for part in rows] == [part.shape[1:] for part in (X, y, c)]


def test_without_confounding_confounder_and_response_are_independent(generator, parameters):
    if "unconfounded" not in generator.worlds:
        pytest.skip("it declares no world without confounding")
    _, y, c = generator.worlds["unconfounded"](np.random.default_rng(1), **parameters | {"n": 10_000})
    for column in np.atleast_2d(np.asarray(c, float).T):
        assert abs(np.corrcoef(np.asarray(y, float), column)[0, 1]) < 4 / np.sqrt(10_000)
