"""Row weights that give a sample another joint distribution of response y and confounders c.

For independence of y and c with their margins a row weighs p(y) p(c) / p(y, c): by cell counts if both are categorical,
else p(y) / p(y | c), or p(c) / p(c | y), with the smooth model of `permconf.permute.response_model`. For a
population of interest, a table of shares for the cells of (y, c), it weighs share / sample share.

Weights from models are truncated (see `largest_weight`): they estimate small probabilities badly.

The bootstrap needs the weights of many samples at once. A sample is given by how often each row was drawn, `counts`
(m, b), and the weights returned are those of a row times its count. Cells are counted again in every sample. Models are
not fitted again: their coefficients take one Newton step from the estimate of all rows to that of the sample.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from permconf.data.confounders import Confounders
from permconf.data.levels import Levels
from permconf.data.response import Response
from permconf.engine.population import cell_name, check_levels, share_table
from permconf.permute.response_model import Design, ResponseModel, fit_classes, fitted_response
from permconf.wording import count

FOLDS = 5
FEW_ROWS = 10  # rows below which weights are not to be relied on
POINTS = 10_000  # groups of neighbouring means given the confounders, in the density of a numeric response
BLOCK = 500  # rows whose densities are found together


class RowWeights(Protocol):
    """Weights of rows that were drawn so many times, and what there is to say about them."""

    @property
    def notes(self) -> tuple[str, ...]: ...

    def weights(self, counts: np.ndarray) -> np.ndarray: ...


def row_weights(
    response: Response, c: Confounders, units: Levels, population: Any, rng: np.random.Generator
) -> RowWeights:
    """The weights of the rows of a response and its confounders, for `population`.

    Models are cross-fitted, so that no row has a part in its own weight; rows of one unit, such as a subject, are kept
    together. `rng` assigns the folds.
    """
    if population != "independent":
        if not isinstance(population, Mapping | list):
            raise ValueError(f"population must be 'independent' or a mapping of cells to shares, not {population!r}")
        if response.labels is None or not c.has_levels:
            raise ValueError("a population given by shares needs classes and categorical confounders, not numbers")
        return CellWeights.of_population(response, c, population)
    y, levels = response.values, c.strata.counts.size
    if response.labels is not None and c.has_levels:
        cells = CellWeights.of_margins(response, c)
        if not cells.empty or len(c.categorical) == 1:
            return cells.checked()
    if response.labels is None and levels == 1 and c.has_levels:
        return FixedWeights(np.ones(len(y)))
    if c.has_levels and 2 * levels > len(y):
        raise ValueError(f"the confounders have {levels} levels for {len(y)} rows; give broader categories")
    fold = folds(y if response.labels is not None else c.strata.codes, units, rng)
    if response.labels is not None:
        return ModelWeights.of(y, response.labels.tolist(), c, fold)
    if c.has_levels:
        return ModelWeights.of(c.strata.codes, c.stratum_names, Confounders.of(y), fold)
    return FixedWeights.truncated(density_ratios(response, c, fold))


def largest_weight(rows: "int | np.ndarray") -> Any:
    """The weight at which those of so many rows are truncated, sqrt(n) log(n) / 6 but at least 3.

    It grows with n, so that the bias vanishes, as that of Gruber, Phillips, Lee & van der Laan (2022).
    """
    return np.maximum(np.sqrt(rows) * np.log(np.maximum(rows, 1)) / 6, 3.0)


def folds(codes: np.ndarray, units: Levels, rng: np.random.Generator) -> np.ndarray:
    """A fold 0 .. FOLDS - 1 for every row, at random; classes `codes` are spread evenly, unless units are groups."""
    order = rng.permutation(units.counts.size)
    if units.counts.size == len(codes):
        order = order[np.argsort(codes[order], kind="stable")]
    fold = np.empty(units.counts.size, np.int64)
    fold[order] = np.arange(units.counts.size) % FOLDS
    return fold[units.codes]


@dataclass(frozen=True)
class CellWeights:
    """Target share / sample share of the cell (y, c) of a row.

    `cell` is the number of a row's cell in the table (y, c), `shares` (y, c) the target, or None for the product of the
    margins, which is found anew in each sample.
    """

    cell: np.ndarray
    names: list
    shape: tuple[int, int]
    shares: np.ndarray | None = None

    @classmethod
    def of_margins(cls, response, c):
        """Weights for independence."""
        labels, levels = response.labels.tolist(), c.stratum_names
        names = [(label, level) for label in labels for level in levels]
        return cls(response.values.astype(np.int64) * len(levels) + c.strata.codes, names, (len(labels), len(levels)))

    @classmethod
    def of_population(cls, response, c, population):
        """Weights for a table of shares (see `permconf.engine.population.share_table`)."""
        table, cells = share_table(population), cls.of_margins(response, c)
        check_levels(table, dict.fromkeys(cells.names))
        shares = np.array([table[name] for name in cells.names]).reshape(cells.shape)
        return cls(cells.cell, cells.names, cells.shape, shares).checked()

    def table(self, counts):
        """Number of rows (y, c, b) in each cell of each sample."""
        ones, rows = np.ones(len(self.cell)), np.arange(len(self.cell))
        indicator = csr_array((ones, (self.cell, rows)), shape=(len(self.names), len(rows)))
        return (indicator @ counts).reshape(*self.shape, -1)

    def target(self, table):
        """Shares (y, c, b) that the weighted samples are to have."""
        if self.shares is not None:
            return np.broadcast_to(self.shares[:, :, None], table.shape)
        total = table.sum(axis=(0, 1))
        return table.sum(axis=1)[:, None] * table.sum(axis=0)[None] / total**2

    def weights(self, counts):
        """Weights (m, b); missing (NaN) in samples that have no row in a cell that needs one."""
        table = self.table(counts)
        target = self.target(table)
        by_cell = np.divide(target * table.sum(axis=(0, 1)), table, out=np.zeros_like(table), where=table > 0)
        by_cell[:, :, ((table == 0) & (target > 0)).any(axis=(0, 1))] = np.nan
        return counts * by_cell.reshape(len(self.names), -1)[self.cell]

    @property
    def rows(self):
        """Number of rows in each cell that the target needs, by the name of the cell."""
        table = self.table(np.ones((len(self.cell), 1)))
        needed = (self.target(table) > 0).ravel()
        return {name: int(n) for name, n, need in zip(self.names, table.ravel(), needed, strict=True) if need}

    @property
    def empty(self):
        """Cells that are needed but have no rows."""
        return [name for name, rows in self.rows.items() if rows == 0]

    def checked(self):
        """These weights, or a ValueError if a cell that is needed has no rows."""
        if self.empty:
            raise ValueError(f"cell {cell_name(self.empty[0])} has no rows, so nothing can be given its weight")
        return self

    @property
    def notes(self):
        """Cells with few rows."""
        few = {name: rows for name, rows in self.rows.items() if rows < FEW_ROWS}
        return tuple(
            f"the weights of cell {cell_name(name)} rest on {count(rows, 'row')}" for name, rows in few.items()
        )


@dataclass(frozen=True)
class FixedWeights:
    """Weights of rows that are the same in all samples."""

    values: np.ndarray
    notes: tuple[str, ...] = ()

    @classmethod
    def truncated(cls, ratios):
        """Weights in proportion to density ratios, that sum to the number of rows."""
        largest = largest_weight(len(ratios))
        weights = np.minimum(ratios, largest)
        return cls(weights * len(weights) / weights.sum(), _note_on_truncation(ratios, largest))

    def weights(self, counts):
        """Weights (m, b)."""
        return counts * self.values[:, None]


@dataclass(frozen=True)
class ModelWeights:
    """Weights p(class) / p(class | given) from a model for each fold, fitted to the rows outside of it.

    The weights of a class sum to its number of rows in the sample, so that its share is kept.
    """

    codes: np.ndarray
    labels: list
    fold: np.ndarray
    models: list[ResponseModel]

    @classmethod
    def of(cls, codes, labels, given, fold):
        """Fit the models of class `codes` given confounders (or given a numeric response)."""
        design = Design.of(given, classes=len(labels))
        outside = [(fold != k).astype(float) for k in range(FOLDS)]
        models = [fit_classes(codes, design, classes=len(labels), weights=rows) for rows in outside]
        return cls(codes, labels, fold, models)

    @property
    def rows(self):
        """Number of rows of each class."""
        return np.bincount(self.codes, minlength=len(self.labels))

    def ratios(self, counts):
        """p(class) / p(class | given) of every row (m, b)."""
        ratios = np.empty(counts.shape)
        for k, model in enumerate(self.models):
            inside = self.fold == k
            eta = model.updated_linear(counts * ~inside[:, None], inside)
            ratios[inside] = _inverse_probability(eta, self.codes[inside])
        return ratios * (self.rows / len(self.codes))[self.codes][:, None]

    def weights(self, counts):
        """Weights (m, b)."""
        weights = counts * np.minimum(self.ratios(counts), largest_weight(self.rows)[self.codes][:, None])
        for code in range(len(self.labels)):
            rows = self.codes == code
            weights[rows] *= counts[rows].sum(axis=0) / np.maximum(weights[rows].sum(axis=0), 1e-300)
        return weights

    @property
    def notes(self):
        """Rows whose weight was truncated, and classes whose weight lies on few rows."""
        once = np.ones((len(self.codes), 1))
        weights, ratios = self.weights(once)[:, 0], self.ratios(once)[:, 0]
        sizes = {label: effective_size(weights[self.codes == k]) for k, label in enumerate(self.labels)}
        few = [f"the weights of {label!r} are worth {n:.1f} rows" for label, n in sizes.items() if n < FEW_ROWS]
        return (*few, *_note_on_truncation(ratios, largest_weight(self.rows)[self.codes]))


def _note_on_truncation(weights, largest):
    truncated = np.sum(weights > largest)
    return (f"the weights of {count(truncated, 'row')} were truncated",) if truncated else ()


def _inverse_probability(eta, codes):
    """1 / p(own class) from linear predictors (rows, K - 1, b), that of the first class being 0."""
    others = np.concatenate([np.zeros((len(eta), 1, eta.shape[2])), eta], axis=1)
    own = np.take_along_axis(others, codes.astype(np.int64)[:, None, None], axis=1)
    return np.exp(np.minimum(others - own, 30.0)).sum(axis=1)


def density_ratios(response: Response, c: Confounders, fold: np.ndarray) -> np.ndarray:
    """f(y) / f(y | c) of a numeric response given numeric confounders, with normal residuals.

    f(y) is the mean of f(y | c) over the confounders of all rows, so that the two belong together. Of very many rows,
    those with neighbouring means of y given c count as one.
    """
    ratios = np.empty(len(response))
    for k in range(FOLDS):
        inside = fold == k
        model = fitted_response(response, c, weights=(~inside).astype(float))
        means, rows_of = model.mean, None
        if len(means) > POINTS:
            near = Levels.of(np.argsort(np.argsort(means)) * POINTS // len(means))
            means, rows_of = near.sums(means) / near.counts, near.counts
        for rows in np.array_split(np.flatnonzero(inside), 1 + inside.sum() // BLOCK):
            squares = (model.values[rows, None] - means) ** 2 / (2 * model.scale)
            own = (model.values[rows] - model.mean[rows]) ** 2 / (2 * model.scale)
            ratios[rows] = np.average(np.exp(own[:, None] - squares), axis=1, weights=rows_of)
    return ratios


def effective_size(weights: np.ndarray) -> float:
    """(sum w)^2 / sum w^2: the number of rows of equal weight that give a mean the same variance (Kish 1965)."""
    return float(weights.sum() ** 2 / np.sum(weights**2))
