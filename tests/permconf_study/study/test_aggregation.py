"""The file of a chunk holds its tests and draws; tables of a scenario do not depend on how it is divided."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from permconf.errors import ConfigError
from permconf.permute.random_streams import Streams
from permconf_study.study.aggregation import TooManyFailures, aggregate, check_unmixed
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.chunk_files import chunk_draws, chunk_table, chunk_tests
from permconf_study.study.datasets import simulate
from permconf_study.study.design import design_block
from permconf_study.study.rejection_rates import alpha_grid, scenario_curves
from permconf_study.study.tables import carry, read_arrow, read_columns, write_table

TABLES = {"design": "design.csv", "tests": "tests.parquet", "draws": "draws.parquet", "curves": "curves.csv"}


@pytest.fixture(scope="module")
def parts(scenarios):
    """Tests and draws of data sets of fig05, which keeps its draws of three metrics."""
    scenario = scenarios["fig05"] | {"permutations": 7}
    design = design_block(scenario["data"], 0, Streams(1, "fig05", 0))

    def make(numbers):
        rows = {name: column[list(numbers)] for name, column in design.items()}
        datasets = simulate(scenario["data"], rows, stream="fig05", seed=1)
        return assess_datasets(datasets, scenario, stream="fig05", seed=1)

    make.design = design

    return make


def test_nothing_is_lost_in_a_chunk(parts):
    tests, draws = parts(range(3))
    chunk = chunk_table(tests, draws)
    assert chunk_tests(chunk).equals(pa.table(tests))
    assert {name: values for name, values in chunk_draws(chunk).to_pydict().items()} == {
        name: list(values) for name, values in draws.items()
    }


def written(parts, folder, *chunks, design, **options):
    """The tables of a scenario in these chunks."""
    write_table(design, folder / "design/000.csv")
    paths = []
    for numbers in chunks:
        paths.append(folder / "chunks/abc" / f"{numbers[0]:05d}.parquet")
        with carry({"fingerprint": "abc"}):
            write_table(chunk_table(*parts(numbers)), paths[-1])
    output = SimpleNamespace(**{kind: folder / name for kind, name in TABLES.items()})
    settings = {"datasets": chunks[-1][-1] + 1, "alphas": alpha_grid(20), "max_failed": 0} | options
    aggregate([folder / "design/000.csv"], paths, output, **settings)
    return output


def test_tables_do_not_depend_on_the_chunks(parts, tmp_path):
    one = written(parts, tmp_path / "one", range(4), design=parts.design)
    other = written(parts, tmp_path / "other", range(1), range(1, 4), design=parts.design)
    for kind in TABLES:
        assert getattr(one, kind).read_bytes() == getattr(other, kind).read_bytes(), kind
    assert list(read_columns(one.design)["dataset"]) == [0, 1, 2, 3]
    curves = scenario_curves(read_arrow(one.tests), alpha_grid(20))
    for name, column in read_columns(one.curves).items():
        np.testing.assert_array_equal(column, curves[name])


def test_a_mixture_of_chunks_is_refused_and_named(tmp_path):
    paths = [tmp_path / "abc" / f"{name}.parquet" for name in ("0-1", "2-3", "4-5")]
    for path, made_by in zip(paths, ("abc", "def", None), strict=True):
        with carry({"fingerprint": made_by}) if made_by else nullcontext():
            write_table({"x": [1]}, path)
    with pytest.raises(ConfigError, match=r"other settings or code made \(2-3\.parquet, 4-5\.parquet\); delete them"):
        check_unmixed(paths)
    check_unmixed(paths[:1])


def test_too_many_failures_write_nothing(parts, tmp_path):
    def failing(numbers):
        tests, draws = parts(numbers)
        return tests | {"error": ["", "no", "no"] * len(numbers)}, draws

    with pytest.raises(TooManyFailures, match=r"^2 of 2 data sets failed, more than .* data set 0: no$"):
        written(failing, tmp_path, range(2), design=parts.design, max_failed=0.5)
    assert not list(tmp_path.glob("*.*"))
    written(failing, tmp_path, range(2), design=parts.design, max_failed=1)


def test_a_scenario_without_draws_has_an_empty_table_of_draws(parts):
    tests, draws = parts(range(1))
    chunk = chunk_table(tests, {name: values[:0] for name, values in draws.items()})
    assert chunk_draws(chunk).num_rows == 0
    assert chunk_draws(chunk).column_names == list(draws)
