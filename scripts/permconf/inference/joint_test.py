"""Permutation tests of several confounders at once, by linear statistics within strata (`permconf.inference.ranks`).

Rows of the confounders are permuted within strata, for all confounders and all blocks together (the same key is the
same permutation of rows), so that their association with each other and with the strata stays as it is. A confounder's
statistic is that of its linear block or, with `shapes`, the largest of its blocks (`permconf.inference.shapes`). The
joint p-value is that of the largest statistic, and p-values of single confounders are adjusted by the step-down maxT
procedure (Westfall and Young 1993, Algorithm 4.1). Whatever the blocks and their weights, p-values are exact if rows
are exchangeable within strata.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from permconf.data.confounders import Confounder
from permconf.data.levels import Levels
from permconf.engine.blas_threads import one_blas_thread
from permconf.inference.p_values import permutation_p, permutation_ps, step_down_ps
from permconf.inference.ranks import QuadraticForm, centred, permutation_covariance
from permconf.inference.shapes import LINEAR_SHAPE, Shapes, all_blocks
from permconf.permute.shuffled_sums import shuffled_forms, shuffled_level_sums
from permconf.permute.units import Coded
from permconf.results import Result, also

_MOST_PRODUCTS = 2e9  # beyond this many multiplications, about two seconds, a normal approximation is drawn from
_FEWEST_ROWS = 10_000  # below this many rows, permutations are drawn whatever it takes
_EFFECTIVE_ROWS = 100  # rows behind T, discounted for outlying values, that justify the approximation


@dataclass(frozen=True, repr=False, eq=False)
class JointResult(Result):
    """Joint p-value of all confounders, and `by_confounder`, a table with the p-value of each, adjusted for the others.

    `statistic` is the largest standardised statistic (-log of its chi-squared tail probability; z if one-sided),
    `p_error` the Monte Carlo standard error of `p`, `permutations` their number, and `method` "permutation" or, for
    very many rows, "normal approximation". `attainable_p` is the smallest p-value that these data could have given,
    whatever the association: where few rows can be exchanged it is large, and a large `p` then says nothing.

    In the table, `shape` is that of the strongest evidence ("linear", "curved", "spread", "differs between classes" or
    "together with" another confounder; "" if nothing can be permuted; see `permconf.inference.shapes`). `single_p` and
    `attainable_p` are of the confounder alone, z and df of its linear statistic. `pairs` has the p-values of pairs of
    confounders by their names.
    """

    p: float
    statistic: float
    by_confounder: pd.DataFrame
    p_error: float
    permutations: int
    method: str
    attainable_p: float
    pairs: dict[tuple[str, str], float]

    pvalue = also("p")
    _described: ClassVar[tuple[str, ...]] = ()  # further fields to show
    HINTS = {
        **dict.fromkeys(("z", "df", "z_score"), "by_confounder has z and df of each confounder"),
        **dict.fromkeys(
            ("p_value", "pval", "p_values"), "the joint p-value is p, those of confounders in by_confounder"
        ),
        **dict.fromkeys(("confidence_interval", "ci", "interval"), "a test has no interval; p_error is the error of p"),
        **dict.fromkeys(("null_distribution", "null", "plot"), "draws are not kept; by_confounder has the evidence"),
    }

    def to_frame(self) -> pd.DataFrame:
        """`by_confounder`."""
        return self.by_confounder

    def __repr__(self) -> str:
        facts = [f"p={self.p:.4g}", f"p_error={self.p_error:.1g}", f"statistic={self.statistic:.4g}"]
        facts += [f"{name}={getattr(self, name)!r}" for name in self._described]
        names = [repr(str(name)) for name in self.by_confounder["confounder"][:3]]
        names += [f"{len(self.by_confounder) - 3} more"] * (len(self.by_confounder) > 3)
        facts += [f"confounders=[{', '.join(names)}]", f"permutations={self.permutations}", f"method={self.method!r}"]
        return f"{type(self).__name__}({', '.join(facts)})"


@dataclass(frozen=True)
class JointTest:
    """Results by confounder: statistic, z and degrees of freedom of the linear block (z NaN if T is not one number).

    `p` is adjusted for the other confounders, `single_p` is not; the smallest adjusted p-value is the joint one. A
    confounder with a pair that has the smaller adjusted p-value takes over its p-value and statistic; `single_p` never
    does, and `pair_p` has those of the pairs (i, j). `shape` is that of the largest block; that of a pair is the number
    of the other confounder. `attainable` is the smallest `single_p` that a permutation gave, `attainable_p` the joint
    one.
    """

    statistic: np.ndarray
    z: np.ndarray
    df: np.ndarray
    p: np.ndarray
    single_p: np.ndarray
    method: str
    shape: list[str | int]
    pair_p: dict[tuple[int, int], float]
    attainable: np.ndarray
    attainable_p: float

    @property
    def leading(self):
        """The confounder with the smallest adjusted p-value, among several the one with the largest statistic."""
        return int(np.lexsort((-self.statistic, self.p))[0])

    def fields(self, columns: Sequence[Confounder], permutations: int, **further: Any) -> dict:
        """The fields of a `JointResult`; `further` columns of the table come after confounder, statistic and p."""
        p = float(self.p.min())
        names = [column.name for column in columns]
        table: dict[str, Any] = {"confounder": names, "statistic": self.statistic, "p": self.p}
        table |= further | {"kind": [column.kind for column in columns], "single_p": self.single_p}
        shapes = [one if isinstance(one, str) else f"together with {names[one]}" for one in self.shape]
        table |= {"z": self.z, "df": self.df, "shape": shapes, "attainable_p": self.attainable}
        return {
            "p": p,
            "statistic": float(self.statistic[self.leading]),
            "by_confounder": pd.DataFrame(table),
            "p_error": float(np.sqrt(p * (1 - p) / permutations)),
            "permutations": permutations,
            "method": self.method,
            "attainable_p": self.attainable_p,
            "pairs": {(names[i], names[j]): p for (i, j), p in self.pair_p.items()},
        }


def joint_test(
    A: np.ndarray,
    confounders: list[Coded],
    strata: Levels,
    keys: np.ndarray,
    *,
    directions: np.ndarray | None = None,
    shapes: Shapes | None = None,
) -> JointTest:
    """Test each confounder, and all of them together, by permuting their rows within strata, once for every key.

    With `directions` (+1 or -1 for each confounder; scalar statistics only) the test is one-sided. A confounder for
    which T cannot change has statistic 0 and p-value 1.
    """
    order = _canonical_order(A, confounders, strata)
    strata = Levels(strata.values, strata.codes[order], strata.counts)
    A = centred(A[order], strata)
    confounders = [
        Coded(centred(one.columns[order], strata), None if one.codes is None else one.codes[order])
        for one in confounders
    ]
    with one_blas_thread():
        blocks = all_blocks(A, confounders, None if shapes is None else shapes.take(order), strata)
        return _tested(blocks, len(confounders), strata, keys, directions)


def _canonical_order(A, confounders, strata):
    """Rows sorted by stratum, scores and confounders, so that p-values do not depend on the order of the rows."""
    values = [*A.T]
    for confounder in confounders:
        values += [*confounder.columns.T] if confounder.codes is None else [confounder.codes]
    return np.lexsort((*values[::-1], strata.codes))


def _tested(blocks, count, strata, keys, directions):
    """The joint test of blocks of this many confounders."""
    forms = []  # of every block that permutations change
    for block in blocks.blocks:
        columns = blocks.items[block.item].columns
        form = QuadraticForm.of(permutation_covariance(blocks.scores[:, block.scores], columns, strata))
        if form.df and (directions is None or directions[block.unit]):
            forms.append((block, form))
    forms, approximate = _affordable(blocks, forms, len(keys))
    items = {block.item: blocks.items[block.item] for block, _ in forms}
    drawn = (_normal_draws if approximate else _permutation_draws)(blocks.scores, items, strata, keys)
    units = count + len(blocks.pairs)
    observed, draws = np.full(units, -np.inf), np.full((len(keys), units), -np.inf)
    shape: list[str | int] = [""] * units
    z, df = np.full(count, np.nan), np.zeros(count, np.int64)
    for block, form in forms:
        direction = None if directions is None else directions[block.unit]
        T = (blocks.scores[:, block.scores].T @ blocks.items[block.item].columns).reshape(1, -1)
        value = form.standardised(T, direction)[0] + block.log_weight
        of_draws = form.standardised(drawn[block.item][:, block.scores].reshape(len(keys), -1), direction)
        np.maximum(draws[:, block.unit], of_draws + block.log_weight, out=draws[:, block.unit])
        if value > observed[block.unit]:
            observed[block.unit], shape[block.unit] = value, block.shape
        if block.shape == LINEAR_SHAPE:
            df[block.unit] = form.df
            z[block.unit] = form.z(T)[0] if form.is_scalar else np.nan
    method = "normal approximation" if approximate else "permutation"
    return _by_confounder(observed, draws, count, blocks.pairs, z=z, df=df, shape=shape, method=method)


def _by_confounder(observed, draws, count, pairs, **further):
    """The results of single confounders, each with the evidence of the pairs that it is in."""
    moving = np.isfinite(observed)
    single_p, p, attainable = np.ones(observed.size), np.ones(observed.size), np.ones(observed.size)
    values, drawn = observed[moving], draws[:, moving]
    single_p[moving], p[moving] = permutation_ps(values, drawn), step_down_ps(values, drawn)
    attainable[moving] = permutation_ps(np.maximum(values, drawn.max(axis=0)), drawn) if moving.any() else 1
    joint = drawn.max(axis=1, initial=-np.inf, keepdims=True)
    largest = max(values.max(initial=-np.inf), joint.max())
    observed = np.where(moving, observed, 0.0)
    statistic, adjusted, shape = observed[:count].copy(), p[:count].copy(), list(further.pop("shape")[:count])
    for k, pair in enumerate(pairs, start=count):
        for one, other in (pair, pair[::-1]):
            if (p[k], -observed[k]) < (adjusted[one], -statistic[one]):
                statistic[one], adjusted[one], shape[one] = observed[k], p[k], other
    return JointTest(
        statistic=statistic,
        p=adjusted,
        single_p=single_p[:count],
        shape=shape,
        pair_p={pair: float(single_p[k]) for k, pair in enumerate(pairs, start=count)},
        attainable=attainable[:count],
        attainable_p=permutation_p(largest, joint[:, 0]) if moving.any() else 1.0,
        **further,
    )


# ---- draws -----------------------------------------------------------------------------------------------------------


def _affordable(blocks, forms, draws):
    """The forms whose draws take seconds at most, and whether these are from a normal distribution.

    They are where permutations take too long and enough rows contribute to every entry of T for it to be normal. Blocks
    other than the linear ones are then left out if too few rows do.
    """
    rows, items = len(blocks.scores), [blocks.items[k] for k in {block.item for block, _ in forms}]
    products = sum(item.width * (1 if _in_one_pass(item) else item.columns.shape[1]) for item in items)
    if rows <= _FEWEST_ROWS or rows * draws * products <= _MOST_PRODUCTS:
        return forms, False
    sides = [(blocks.scores[:, block.scores], blocks.items[block.item].columns) for block, _ in forms]
    normal = [_effective_rows(A).min() * _effective_rows(C).min() / rows >= _EFFECTIVE_ROWS for A, C in sides]
    linear = [block.shape == LINEAR_SHAPE for block, _ in forms]
    approximate = all(fine for fine, is_linear in zip(normal, linear, strict=True) if is_linear)
    kept = zip(forms, normal, linear, strict=True)
    return [form for form, fine, is_linear in kept if is_linear or (approximate and fine)], approximate


def _in_one_pass(item):
    """Whether all columns are indicators of levels, whose sums are made together."""
    return item.codes is not None and item.columns.shape[1] > 1


def _effective_rows(columns):
    """Sum of squares over largest square: the number of ones of a rare indicator, a third of the rows for ranks."""
    largest = np.max(columns**2, axis=0)
    varying = largest > 0
    return np.sum(columns**2, axis=0)[varying] / largest[varying]


def _permutation_draws(A, items, strata, keys):
    """A' C* (b, width, k) of each item, by permutation; all columns that are no indicators of levels in one pass."""
    drawn = {
        k: shuffled_level_sums(A[:, : item.width], item.codes, strata, keys)[:, :, 1:]
        for k, item in items.items()
        if _in_one_pass(item)
    }
    dense = {k: item for k, item in items.items() if k not in drawn}
    if dense:
        widths = [item.width for item in dense.values() for _ in item.columns.T]
        columns = np.hstack([item.columns for item in dense.values()])
        products = shuffled_forms(A, columns, widths, strata, keys)
        ends = np.cumsum([item.width * item.columns.shape[1] for item in dense.values()])
        for (k, item), part in zip(dense.items(), np.split(products, ends[:-1], axis=1), strict=True):
            drawn[k] = part.reshape(len(keys), -1, item.width).transpose(0, 2, 1)
    return drawn


def _normal_draws(A, items, strata, keys):
    """A' C* (b, width, k) of each item, from the normal distribution with their joint covariance."""
    joint = np.hstack([item.columns for item in items.values()])
    widths = np.concatenate([np.full(item.columns.shape[1], item.width) for item in items.values()])
    a, c = np.nonzero(np.arange(widths.max())[:, None] < widths)
    V = np.zeros((a.size, a.size))
    ordered_A, ordered = A[strata.order], joint[strata.order]
    for first, last in pairwise(strata.starts):
        if last - first > 1:
            one, other = ordered_A[first:last, : widths.max()], ordered[first:last]
            V += (one.T @ one)[np.ix_(a, a)] * (other.T @ other / (last - first - 1))[np.ix_(c, c)]
    values, vectors = np.linalg.eigh(V)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    T = np.random.default_rng(keys[:4]).standard_normal((len(keys), a.size)) @ root.T
    ends = np.cumsum([item.columns.shape[1] for item in items.values()])
    of_item = np.searchsorted(ends, c, side="right")
    return {
        k: T[:, of_item == place].reshape(len(keys), item.width, -1) for place, (k, item) in enumerate(items.items())
    }
