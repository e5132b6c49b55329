"""Does the model of p(y | c) miss structure? Score tests of shapes that it cannot follow.

The response test, and weights from a model, are wrong where the response depends on the confounders in a way that the
model of p(y | c) does not follow (`permconf.permute.response_model`). The residuals of the model then vary with shapes
of the confounders: steps, local bumps and waves of a numeric one, also within the levels of the others, quadrants of
two and products of three. Each shape is made orthogonal to the design, so that neither estimation nor penalty has a
part in its product with the residuals, and the largest standardised product is compared with those after the residuals
of every unit (row or subject) have changed signs at random.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.data.sample import Subjects
from permconf.permute.crosses import orthonormal, share_below
from permconf.permute.response_model import ResponseModel, fitted_response
from permconf.permute.units import first_rows, varies_within
from permconf.wording import p_text

ALPHA = 0.04  # p-value at which the model is not relied on
FLIPS = 999
MOST_ROWS = 20_000  # this many rows of larger data are checked
CUTS = np.arange(1, 20) / 20
QUADRANTS = np.array([0.2, 0.35, 0.5, 0.65, 0.8])
WAVES = np.arange(2, 9)
LEAST_INFORMATION = 2.0  # in an orthogonal shape, as the number of rows with residuals of variance 1
_FLIPS_AT_ONCE = 111


@dataclass(frozen=True)
class Misfit:
    """The p-value of the check (NaN if no model is needed), and a sentence on what was missed ("" if nothing was)."""

    p: float
    problem: str


def misfit(
    response: Response,
    confounders: Confounders,
    subjects: Subjects | None,
    rng: np.random.Generator,
    *,
    quadrants: bool = False,
) -> Misfit:
    """Check the model of a response given numeric confounders; rows of one subject change signs together.

    With `quadrants` it is the model of the response test, without it that of weights, which has none.
    """
    if confounders.has_levels or np.unique(response.values).size < 2:
        return Misfit(np.nan, "")
    if len(response) > MOST_ROWS:
        rows = np.sort(rng.choice(len(response), MOST_ROWS, replace=False))
        response, confounders = response.take(rows), confounders.take(rows)
        subjects = None if subjects is None else subjects.take(rows)
    units = Levels.of(np.arange(len(response))) if subjects is None else subjects.levels
    if not any(varies_within(values, units) for values in (response.values, confounders.codes, *confounders.numeric.T)):
        first = first_rows(units)  # one row says all
        response, confounders, units = response.take(first), confounders.take(first), Levels.of(np.arange(first.size))
    joint: dict[str, Any] = {"quadrants": True} if quadrants else {"degree": 2}
    model = fitted_response(response, confounders, fine=True, **joint)
    shapes, names = _shapes(confounders)
    freedom = 1 - model.edf / model.coefficients.shape[1] / len(response)  # residuals are smaller than errors
    p, largest = _flipped(_products(model, shapes, units), np.sqrt(max(freedom, 0.1)), rng)
    if not p <= ALPHA:
        return Misfit(p, "")
    y, about = response.name, " and ".join(names[largest])
    problem = f"the model of {y} given the confounders does not follow how {y} varies with {about} (p = {p_text(p)})"
    return Misfit(p, problem)


def _shapes(confounders):
    """Columns (n, k) of shapes, and for each the names of the confounders that it is about."""
    columns, names = [], []

    def add(shapes, *about):
        columns.append(shapes)
        names.extend([about] * shapes.shape[1])

    shares = {name: share_below(x) for name, x in zip(confounders.numeric_names, confounders.numeric.T, strict=True)}
    for name, u in shares.items():
        bumps = (u[:, None] >= np.r_[0, CUTS[1::2]]) & (u[:, None] < np.r_[CUTS[1::2], 1])
        angles = np.pi * u[:, None] * WAVES
        steps = (u[:, None] > CUTS).astype(float)
        add(np.hstack([steps, bumps, np.cos(2 * angles), np.sin(2 * angles)]), name)
        for column in confounders.categorical:
            for level in range(column.levels.size if column.levels.size <= len(CUTS) else 0):
                add(steps[:, 1::2] * (column.values == level)[:, None], name, column.name)
    for (one, u), (other, v) in combinations(shares.items(), 2):
        above, right = (x[:, None] > QUADRANTS for x in (u, v))
        add((above[:, :, None] & right[:, None, :]).reshape(len(u), -1).astype(float), one, other)
    for some in combinations(shares, 3):
        below = np.stack([1 - 2 * shares[name] for name in some])
        add(np.stack([below.prod(axis=0), np.sign(below).prod(axis=0)], axis=1), *some)
    return np.hstack(columns), names


def _products(model: ResponseModel, shapes: np.ndarray, units: Levels) -> np.ndarray:
    """Products (units, classes, shapes) of residuals with orthogonal shapes, that of each shape standardised."""
    residuals, variances = model.residuals
    least = LEAST_INFORMATION * (model.scale if model.numeric else 0.25)
    found = np.zeros((residuals.shape[1], units.counts.size, shapes.shape[1]))
    for k, (residual, variance) in enumerate(zip(residuals.T, variances.T, strict=True)):
        root = np.sqrt(variance)[:, None]
        q = orthonormal(model.design.X * root)
        left = shapes * root
        left -= q @ (q.T @ left)
        r = residual / root[:, 0]
        informative = np.einsum("ij,ij->j", left, left) >= least
        products = (left * r[:, None])[:, informative]
        if informative.any():
            found[k][:, informative] = np.stack([units.sums(column) for column in products.T], axis=1)
    return found.transpose(1, 0, 2)


def _flipped(products, shrunk, rng):
    """p-value of the largest standardised sum over units, times `shrunk`, and the number of its shape."""
    flat = products.reshape(len(products), -1)
    sd = np.sqrt(np.einsum("ij,ij->j", flat, flat))
    flat = np.divide(flat, sd, out=np.zeros_like(flat), where=sd > 0)
    sums = shrunk * np.abs(flat.sum(axis=0))
    draws = np.concatenate(
        [
            np.abs(rng.choice([-1.0, 1.0], (_FLIPS_AT_ONCE, len(flat))) @ flat).max(axis=1)
            for _ in range(FLIPS // _FLIPS_AT_ONCE)
        ]
    )
    return (1 + np.sum(draws >= sums.max())) / (1 + draws.size), int(sums.argmax()) % products.shape[2]
