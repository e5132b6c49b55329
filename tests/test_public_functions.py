"""Every public function: rows in the same order, and arrays of any kind.

The result is valid, or the error has one line. Cases are drawn by hypothesis, always the same ones: 1,500 calls with
arrays that are changed in one or two ways.
"""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import permconf

RNG = np.random.default_rng(12)
N = 48
Y = RNG.permutation(np.arange(N) % 2)
DATA = {
    "y": Y,
    "numbers": Y + RNG.standard_normal(N),
    "c": np.where(RNG.random(N) < 0.3, 1 - Y, Y),
    "age": RNG.normal(50, 10, N) + 3 * Y,
    "both": np.c_[np.arange(N) % 3, RNG.standard_normal(N)],
    "site": np.array(list("abcd"))[RNG.integers(0, 4, N)],
    "groups": np.arange(N) // 4,
    "parts": np.arange(N) % 2,
    "ward": np.repeat(["a", "b", "b", "c"], N // 4),
    "X": RNG.standard_normal((N, 2)) + Y[:, None],
    "scores": Y + RNG.standard_normal(N),
}
SHARES = {(y, c): 0.25 for y in (0, 1) for c in (0, 1)}
HALF = N // 2


def with_value(value):
    def changed(v):
        v = np.array(v, float if isinstance(value, float) and v.dtype.kind not in "US" else object)
        v[min(3, len(v) - 1)] = value
        return v

    return changed


CHANGES = {
    "as it is": lambda v: v,
    "list": lambda v: v.tolist(),
    "objects": lambda v: v.astype(object),
    "text": lambda v: v.astype(str),
    "bytes": lambda v: v.astype("S8"),
    "float32": lambda v: v.astype(np.float32) if v.dtype.kind in "iuf" else v,
    "truth values": lambda v: v.astype(bool) if v.dtype.kind in "iuf" else v,
    "complex": lambda v: v + 1j if v.dtype.kind in "iuf" else v,
    "dates": lambda v: np.arange(v.shape[0]).astype("M8[D]"),
    "NaN": with_value(np.nan),
    "infinite": with_value(np.inf),
    "None": with_value(None),
    "pandas NA": with_value(pd.NA),
    "text among numbers": with_value("x"),
    "huge": with_value(1e300),
    "constant": lambda v: np.repeat(v[:1], len(v), axis=0),
    "all different": lambda v: np.arange(v.size, dtype=float).reshape(v.shape),
    "labels of rows": lambda v: np.array([f"r{i}" for i in range(v.size)]).reshape(v.shape),
    "three values": lambda v: np.resize(np.arange(3), v.shape),
    "a row less": lambda v: v[1:],
    "a row more": lambda v: np.concatenate([v, v[:1]]),
    "one row": lambda v: v[:1],
    "no rows": lambda v: v[:0],
    "a number": lambda v: v.ravel()[0],
    "a column": lambda v: v.reshape(len(v), -1)[:, :1],
    "two columns": lambda v: np.stack([v.reshape(len(v), -1)[:, 0]] * 2, axis=1),
    "no columns": lambda v: v.reshape(len(v), -1)[:, :0],
    "three axes": lambda v: v.reshape(len(v), -1)[:, :, None],
    "transposed": lambda v: v.reshape(len(v), -1).T,
    "nothing": lambda _: None,
    "a word": lambda _: "age",
    "a mapping": lambda v: {"c": v},
    "sparse": lambda v: csr_matrix(v) if v.dtype.kind in "iuf" else v,
    "Series": lambda v: pd.Series(v.reshape(len(v), -1)[:, 0]),
    "DataFrame": lambda v: pd.DataFrame(v).rename(columns=str),
    "Categorical": lambda v: pd.Series(pd.Categorical(v.reshape(len(v), -1)[:, 0])),
    "nullable": lambda v: pd.Series([pd.NA, *range(1, len(v))], dtype="Int64"),
    "other order": lambda v: pd.Series(v.reshape(len(v), -1)[:, 0], index=np.arange(len(v))[::-1]),
}
BINNINGS = ["levels", "smooth", {"quantiles": 2}, {"width": 3}, {"breaks": [0.5]}, {"quantile": 2}, ["levels"], 5, {}]


def halves(X, y, c):
    """Both halves of the data; a sequence without rows to halve is given as it is."""

    def half(v, rows):
        try:
            return v.iloc[rows] if hasattr(v, "iloc") else v[rows]
        except (TypeError, IndexError, KeyError):
            return v

    train, test = slice(0, HALF), slice(HALF, None)
    return *(half(v, train) for v in (X, y, c)), *(half(v, test) for v in (X, y, c))


def refit(name, y="y", **options):
    """A function of both halves of the data, which are changed together."""

    def call(given, binning):
        data = halves(given["X"], given[y], given["c"])
        return getattr(permconf, name)(*data, confounder=binning, seed=1, **options)

    return ("X", y, "c"), call


def plain(name, *columns, binned=True, named=(), **options):
    """A function of these columns, and of those in `named` as keywords of the same name."""

    def call(given, binning):
        keywords = {column: given[column] for column in named} | ({"confounder": binning} if binned else {})
        return getattr(permconf, name)(*(given[column] for column in columns), **keywords, **options)

    return (*columns, *named), call


def audited(y, confounders, groups=None, **options):
    """An audit of features X."""

    def call(given, _):
        by = {} if groups is None else {"groups": given[groups]}
        return permconf.audit(
            given["X"], response=given[y], confounders=given[confounders], permutations=9, **by, **options
        )

    return ("X", y, groups or confounders), call


def rng():
    return np.random.default_rng(1)


def table(data):
    """A table of three columns; those that do not fit into one are left as they were."""
    columns = {}
    for name in ("scores", "y", "age"):
        try:
            columns[name] = pd.DataFrame({"v": data[name]}, index=range(N))["v"]
        except ValueError:
            columns[name] = pd.Series(DATA[name])
    return pd.DataFrame(columns)


NUMBERS = {"metric": "mse", "learner": "linear_regression"}
FUNCTIONS = {
    "assess": refit("assess", permutations=9),
    "assess numbers": refit("assess", "numbers", permutations=9, **NUMBERS),
    "algorithm2": refit("algorithm2", shuffles=3, inner=2),
    "conditional_test": refit("conditional_test", shuffles=3, inner=2),
    "combined_test": refit("combined_test", shuffles=3, inner=2, permutations=9),
    "metric_values": (
        ("X", "y"),
        lambda d, _: permconf.metric_values(*halves(d["X"], d["y"], d["y"])[:2], d["X"], d["y"]),
    ),
    "prediction_test": plain("prediction_test", "scores", "y", "both", permutations=9),
    "prediction_test numbers": plain("prediction_test", "scores", "numbers", "age", permutations=9),
    "prediction_test with parts": plain(
        "prediction_test", "scores", "y", "c", binned=False, named=["parts"], permutations=9
    ),
    "association_test": plain("association_test", "y", "both", permutations=9),
    "association_test with groups": plain(
        "association_test", "y", "c", binned=False, named=["groups", "parts"], permutations=9
    ),
    "within_bins_test": plain("within_bins_test", "scores", "y", "age", permutations=9),
    "reweighted_metric": plain("reweighted_metric", "y", "scores", "c", bootstrap=5),
    "reweighted_metric numbers": plain("reweighted_metric", "numbers", "scores", "age", metric="mae", bootstrap=5),
    "reweighted_metric with groups": plain(
        "reweighted_metric", "y", "scores", "c", binned=False, named=["groups"], bootstrap=5
    ),
    "overlap_metric": plain("overlap_metric", "y", "scores", "c", bootstrap=5),
    "within_metric": plain("within_metric", "y", "scores", "c", bootstrap=5),
    "training_weights": plain("training_weights", "y", "age"),
    "conditional_shuffle": (
        ("y", "age"),
        lambda d, b: permconf.conditional_shuffle(d["y"], d["age"], 3, confounder=b, rng=rng()),
    ),
    "restricted_shuffle": (("y", "site"), lambda d, _: permconf.restricted_shuffle(d["y"], d["site"], 3, rng=rng())),
    "standard_shuffle": (("y",), lambda d, _: permconf.standard_shuffle(d["y"], 3, rng=rng())),
    "population_split": (
        ("y", "c"),
        lambda d, _: permconf.population_split(d["y"], d["c"], rng=rng(), shares=SHARES),
    ),
    "relative_to_population": (
        ("X", "y", "c"),
        lambda d, b: permconf.relative_to_population(
            *(FUNCTIONS["assess"][1](data, how) for data, how in ((d, b), (DATA, "smooth")))
        ),
    ),
    "combined": (
        ("scores", "y", "age"),
        lambda d, b: permconf.combined(
            permconf.prediction_test(d["scores"], d["y"], d["age"], confounder=b, permutations=9),
            permconf.association_test(d["y"], d["age"], confounder=b, permutations=9),
        ),
    ),
    "audit": audited("y", "both"),
    "audit numbers": audited("numbers", "site", metric="mse", learner="ridge_regression"),
    "audit of a table": (
        ("scores", "y", "age"),
        lambda d, b: permconf.audit(table(d), response="y", confounders={"age": b}, permutations=9),
    ),
    "audit groups": audited("y", "ward", groups="groups", cv=3),
    "audit_predictions": (
        ("scores", "y", "both"),
        lambda d, _: permconf.audit_predictions(DATA["X"], scores=d["scores"], response=d["y"], confounders=d["both"]),
    ),
    "compare_adjustments": (
        ("X", "y", "c"),
        lambda d, _: permconf.plot_adjustments(
            permconf.compare_adjustments(
                d["X"], response=d["y"], confounders=d["c"], adjustments=["residuals", "matching"], permutations=9
            )
        ),
    ),
    "plot_adjustments": plain("plot_adjustments", "both", binned=False),
}


def check_outcome(call):
    """The result of a call is valid, or its error has one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            result = call()
        except (ValueError, TypeError) as error:
            if "\n" in str(error) or not str(error).strip():
                raise AssertionError(f"not one sentence: {error!r}") from error
            return None
    check_result(result)
    return result


def check_result(result):
    fields = (
        {f.name: getattr(result, f.name) for f in dataclasses.fields(result)}
        if dataclasses.is_dataclass(result)
        else {}
    )
    for name, value in fields.items():
        if name == "p" or name.endswith("_p"):
            assert 0 <= value <= 1, name
        withheld = bool(getattr(result, "reason", ""))
        if isinstance(value, float) and not withheld and name not in ("corrected_quantile", "low", "high"):
            assert np.isfinite(value), name
    if isinstance(result, permconf.Audit):
        assert np.isfinite(result.observed)
        assert 0 <= result.prediction_p <= 1
    for array in result if isinstance(result, tuple) else [result] if isinstance(result, np.ndarray) else []:
        assert np.asarray(array).dtype.kind != "f" or not np.isnan(array).any()


PROFILE = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.slow
@settings(PROFILE, max_examples=1500)
@given(
    function=st.sampled_from(sorted(FUNCTIONS)),
    changes=st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from(sorted(CHANGES))),
    which=st.integers(0, 2),
    twice=st.booleans(),
    binning=st.sampled_from(range(len(BINNINGS))),
)
def test_any_arrays(function, changes, which, twice, binning):
    names, call = FUNCTIONS[function]
    data = dict(DATA)
    data[names[which % len(names)]] = CHANGES[changes[0]](DATA[names[which % len(names)]])
    if twice:
        other = names[(which + 1) % len(names)]
        data[other] = CHANGES[changes[1]](DATA[other])
    check_outcome(lambda: call(data, BINNINGS[binning]))


def test_every_public_function_is_tried():
    without_arrays = {"example", "show_versions"}
    functions = {name for name in permconf.__all__ if not isinstance(getattr(permconf, name), type)} - without_arrays
    tried = " ".join(FUNCTIONS)
    assert not [name for name in functions if name not in tried]


ON_ARRAYS = [name for name in FUNCTIONS if name not in ("plot_adjustments", "compare_adjustments", "audit of a table")]


def called(function, **changes):
    names, call = FUNCTIONS[function]
    return check_outcome(lambda: call(DATA | changes, {"quantiles": 2} if "age" in names else "smooth"))


@pytest.mark.parametrize("function", ON_ARRAYS)
def test_row_labels_and_the_order_of_bytes_do_not_matter(function):
    names, _ = FUNCTIONS[function]
    plain = called(function)
    assert plain is not None
    bytes_turned = {name: DATA[name].astype(DATA[name].dtype.newbyteorder(">")) for name in names}
    for changes in (bytes_turned, {name: labelled(name) for name in names}, {names[0]: labelled(names[0])}):
        assert repr(called(function, **changes)) == repr(plain)


def labelled(name):
    """A Series or DataFrame, with the names that columns of arrays get."""
    column = "confounder {}" if name == "both" else "x{}"
    values = DATA[name]
    return pd.DataFrame(values, columns=[column.format(k) for k in (1, 2)]) if values.ndim == 2 else pd.Series(values)


@pytest.mark.parametrize(
    ("function", "turned"),
    [(function, name) for function in ON_ARRAYS for name in FUNCTIONS[function][0] if len(FUNCTIONS[function][0]) > 1],
)
def test_rows_in_another_order_are_refused(function, turned):
    """They were taken by their places, and an AUC of .90 became one of .59."""
    names, call = FUNCTIONS[function]
    changes = {name: labelled(name) for name in names}
    changes[turned] = changes[turned].iloc[np.r_[np.arange(HALF)[::-1], np.arange(HALF, N)[::-1]]]  # in both halves
    with pytest.raises(ValueError, match="in a different order; align"):
        call(DATA | changes, "smooth")
