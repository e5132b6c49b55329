"""Row weights that give a sample another joint distribution of response y and confounders c.

For independence of y and c with their margins a row weighs p(y) p(c) / p(y, c): by cell counts if both are categorical,
else p(y) / p(y | c), or p(c) / p(c | y), with the smooth model of `permconf.permute.response_model`, truncated (see
`largest_weight`) and balanced (`permconf.reweight.balance`). If both are numeric, weights are those nearest to equal
ones that leave no association. For a population of interest, a table of shares for the cells of (y, c), a row weighs
share / sample share.

Overlap weights (Li, Morgan & Zaslavsky 2018) are another target: people for whom every class is plausible. With two
classes a row weighs one minus the probability of its own. No weight is large, and rows without a counterpart weigh
nothing.

The bootstrap needs the weights of many samples at once. A sample is given by how often each row was drawn, `counts`
(m, b), and the weights returned are those of a row times its count. Cells are counted again in every sample. Models are
not fitted again: their coefficients take one Newton step from the estimate of all rows to that of the sample. Nothing
is drawn at random here: the same rows have the same weights.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array

from permconf.data.confounders import Confounders
from permconf.data.response import Response
from permconf.engine.population import check_levels, share_table
from permconf.permute.response_model import Design, ResponseModel, fit_classes, fitted_response
from permconf.reweight.balance import LATER, STEPS, index_auc, rank_features, tilted
from permconf.reweight.bootstrap import effective_size
from permconf.wording import count

FEW_ROWS = 10  # rows below which weights are not to be relied on
MOST_LONE = 0.05  # share of rows in levels without a class that a model may stand in for


class RowWeights(Protocol):
    """Weights of rows that were drawn so many times, and what there is to say about them.

    `balance` is the AUC (for numbers, the concordance) that an index of the confounders keeps in rows with `weights`.
    """

    @property
    def notes(self) -> tuple[str, ...]: ...

    def weights(self, counts: np.ndarray) -> np.ndarray: ...

    def balance(self, weights: np.ndarray) -> float: ...


def row_weights(response: Response, c: Confounders, population: Any = "independent") -> RowWeights:
    """The weights of the rows of a response and its confounders, for `population`."""
    if population != "independent":
        if not isinstance(population, Mapping | list):
            raise ValueError(f"population must be 'independent' or a mapping of cells to shares, not {population!r}")
        if response.labels is None or not c.has_levels:
            raise ValueError("a population given by shares needs classes and categorical confounders, not numbers")
        return CellWeights.of_population(response, c, population)
    if response.labels is not None:
        return class_weights(response, c).checked()
    levels = c.strata.counts.size
    if levels == 1 and c.has_levels:
        return EqualWeights()
    if c.has_levels:
        _check_levels(levels, len(response))
        return ModelWeights.of(c.strata.codes, c.stratum_names, Confounders.of(response.values))
    return NumberWeights.of(response, c)


def class_weights(response: Response, c: Confounders) -> "CellWeights | ModelWeights":
    """Weights of classes for independence, with those for overlap: by cells where they can be counted, else a model."""
    assert response.labels is not None
    if c.has_levels:
        cells = CellWeights.of_margins(response, c)
        if not cells.empty or len(c.categorical) == 1:
            return cells
        _check_levels(c.strata.counts.size, len(response))
    each = [CellWeights.of_margins(response, c.chosen([column.name])) for column in c.categorical]
    lone = next((cells for cells in each if sum(cells.lone.values()) > MOST_LONE * len(response)), None)
    return replace(ModelWeights.of(response.values, response.labels.tolist(), c), lone=lone)


def _check_levels(levels, rows):
    if 2 * levels > rows:
        raise ValueError(f"the confounders have {levels} levels for {rows} rows; give broader categories")


def largest_weight(rows: "int | np.ndarray") -> Any:
    """The weight at which those of n rows are truncated, sqrt(n) log(n) / 6 but at least 3.

    It grows with n, so that the bias vanishes, as that of Gruber, Phillips, Lee & van der Laan (2022).
    """
    return np.maximum(np.sqrt(rows) * np.log(np.maximum(rows, 1)) / 6, 3.0)


@dataclass(frozen=True)
class CellWeights:
    """Target share / sample share of the cell (y, c) of a row.

    `cell` is the number of a row's cell in the table (y, c), `columns` the names of response and confounders, `shares`
    (y, c) the target, or None for the product of the margins, which is recomputed in each sample.
    """

    cell: np.ndarray
    names: list
    shape: tuple[int, int]
    columns: tuple[str, ...]
    shares: np.ndarray | None = None

    @classmethod
    def of_margins(cls, response, c):
        labels, levels = response.labels.tolist(), c.stratum_names
        names = [(label, level) for label in labels for level in levels]
        cell, shape = response.values.astype(np.int64) * len(levels) + c.strata.codes, (len(labels), len(levels))
        return cls(cell, names, shape, (response.name, *c.names))

    @classmethod
    def of_population(cls, response, c, population):
        """Weights for a table of shares (see `permconf.engine.population.share_table`)."""
        table, cells = share_table(population), cls.of_margins(response, c)
        check_levels(table, dict.fromkeys(cells.names))
        shares = np.array([table[name] for name in cells.names]).reshape(cells.shape)
        return replace(cells, shares=shares).checked()

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

    def overlap(self, counts):
        """Overlap weights (m, b): the same number of rows of every class in a level; none where a class is missing."""
        table = self.table(counts)
        inverse = np.divide(1.0, table, out=np.zeros(table.shape), where=table > 0)
        by_cell = np.where((table > 0).all(axis=0), inverse / np.maximum(inverse.sum(axis=0), 1e-300), 0.0)
        return counts * by_cell.reshape(len(self.names), -1)[self.cell]

    @property
    def lone(self):
        """Levels in which a class has no rows, and the number of their rows."""
        table = self.table(np.ones((len(self.cell), 1)))[:, :, 0]
        levels = [name for _, name in self.names[: self.shape[1]]]
        return {levels[k]: int(table[:, k].sum()) for k in np.flatnonzero((table == 0).any(axis=0))}

    def balance(self, weights):
        """One half: cells are met exactly."""
        return 0.5 if np.isfinite(weights).all() else np.nan

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
            raise ValueError(f"no row has {self._values(self.empty[0])}, so nothing can be given their weight")
        return self

    def _values(self, cell):
        """A cell in words: "ill = 1, site = 'Rome'"."""
        values = cell if len(self.columns) == 2 else (cell[0], *cell[1])
        return ", ".join(f"{name} = {value!r}" for name, value in zip(self.columns, values, strict=True))

    @property
    def notes(self):
        few = [(name, count(rows, "row")) for name, rows in self.rows.items() if rows < FEW_ROWS]
        return tuple(f"the reweighted value rests on {rows} with {self._values(name)}" for name, rows in few)


class EqualWeights:
    """Where there is nothing to balance."""

    notes: tuple[str, ...] = ()

    def weights(self, counts):
        return counts * 1.0

    def balance(self, _):
        return 0.5


@dataclass(frozen=True)
class ModelWeights:
    """Weights p(class) / p(class | given), balanced in the ranks of the model's linear predictors.

    The weights of a class sum to its number of rows in the sample, so that its share is kept. Rows have a part in their
    own probabilities: cross-fitting leaves more imbalance than it removes (and random folds move the value). `lone` are
    the cells of a confounder with a level that has many rows, but none of a class.
    """

    codes: np.ndarray
    labels: list
    model: ResponseModel
    features: np.ndarray
    lone: CellWeights | None = None

    @classmethod
    def of(cls, codes, labels, given):
        """Fit the model of class `codes` given confounders (or given a numeric response)."""
        codes = codes.astype(np.int64)
        design = replace(
            Design.of(given, classes=len(labels), degree=2), rougher=1.0
        )  # weights vary less than in tests
        model = fit_classes(codes, design, classes=len(labels))
        return cls(codes, labels, model, rank_features(model.linear))

    def checked(self):
        """These weights, or a ValueError if a level lacks a class, which no model knows of."""
        if self.lone is not None:
            self.lone.checked()
        return self

    def odds(self, counts):
        """Linear predictors (m, K, b) minus that of a row's own class: logarithms of p(class) / p(own class)."""
        if counts.shape[1] == 1 and (counts == 1).all():
            return self._odds
        return self._odds_of(counts)

    def _odds_of(self, counts):
        eta = self.model.updated_linear(counts)
        every = np.concatenate([np.zeros((len(eta), 1, eta.shape[2])), eta], axis=1)
        return np.clip(every - np.take_along_axis(every, self.codes[:, None, None], axis=1), -30.0, 30.0)

    def ratios(self, odds):
        """p(class) / p(class | given) of every row (m, b)."""
        shares = np.bincount(self.codes, minlength=len(self.labels)) / len(self.codes)
        return np.exp(odds).sum(axis=1) * shares[self.codes][:, None]

    def weights(self, counts, odds=None):
        return self._balanced(counts, self.odds(counts) if odds is None else odds, self._slopes, LATER)[0]

    def overlap(self, counts, odds=None):
        """Overlap weights (m, b): of the probabilities, the inverse of that of a row's own class, as a share of all."""
        odds = self.odds(counts) if odds is None else odds
        return counts / np.exp(-odds).sum(axis=1)

    @cached_property
    def _slopes(self):
        nothing = [np.zeros((self.features.shape[1], 1))] * len(self.labels)
        return self._balanced(np.ones((len(self.codes), 1)), self._odds, nothing, STEPS)[1]

    @cached_property
    def _odds(self):
        """The odds of all rows, each counted once."""
        return self._odds_of(np.ones((len(self.codes), 1)))

    def _balanced(self, counts, odds, slopes, steps):
        """Weights (m, b), and the slopes of each class."""
        weights = counts * np.minimum(self.ratios(odds), largest_weight(len(self.codes)))
        target, found = self.features.T @ counts / counts.sum(axis=0), []
        for code, start in enumerate(slopes):
            rows = np.flatnonzero(self.codes == code)
            base = weights[rows] * (counts[rows].sum(axis=0) / np.maximum(weights[rows].sum(axis=0), 1e-300))
            weights[rows], slope = tilted(base, self.features[rows], target, start, steps)
            found.append(slope)
        return weights, found

    def balance(self, weights):
        """AUC that the linear predictors keep."""
        return index_auc(self.codes, list(self.model.linear.T), weights)

    @property
    def notes(self):
        """Rows whose weight was truncated, and classes whose weight lies on few rows."""
        once = np.ones((len(self.codes), 1))
        weights, ratios = self.weights(once, self._odds)[:, 0], self.ratios(self._odds)[:, 0]
        sizes = {label: effective_size(weights[self.codes == k]) for k, label in enumerate(self.labels)}
        few = [f"the weights of {label!r} are worth {n:.1f} rows" for label, n in sizes.items() if n < FEW_ROWS]
        truncated = np.sum(ratios > largest_weight(len(self.codes)))
        return (*few, *((f"the weights of {count(truncated, 'row')} were truncated",) if truncated else ()))


@dataclass(frozen=True)
class NumberWeights:
    """Weights of a numeric response and numeric confounders that leave no association of y and its mean given c.

    Of all weights with the means of the sample for the moments of y and of that mean, and with none of their products,
    those nearest to equal ones (Vegetabile et al. 2021): they rest on no density. `explained` is the share of the
    variance of y that the confounders explain.
    """

    features: np.ndarray
    own: int  # first features, of y; as many others are of the mean given c; then come products
    explained: float
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, response, c):
        """The moments of a response and of the model's mean."""
        model = fitted_response(response, c)
        each = [_moments(v) for v in (model.values, model.mean)]
        products = np.column_stack([a * b * np.sqrt(12) for a in each[0].T for b in each[1].T])
        explained = float(np.clip(1 - model.scale / model.values.var(), 0, 1))
        return cls(np.hstack([*each, products]), each[0].shape[1], explained)

    def target(self, counts):
        """Means (q, b) of features, those of products being products of means."""
        means = self.features[:, : 2 * self.own].T @ counts / counts.sum(axis=0)
        products = [a * b * np.sqrt(12) for a in means[: self.own] for b in means[self.own :]]
        return np.vstack([means, products])

    @cached_property
    def _slopes(self):
        once = np.ones((len(self.features), 1))
        return tilted(once, self.features, self.target(once), np.zeros((self.features.shape[1], 1)), 3 * STEPS)[1]

    def weights(self, counts):
        return tilted(counts, self.features, self.target(counts), self._slopes, LATER)[0]

    def balance(self, weights):
        """The concordance of y and its mean given c that goes with their weighted correlation."""
        y, mean = self.features[:, 0], self.features[:, self.own]
        centred = [v - np.average(v, weights=weights) for v in (y, mean)]
        a, b, both = (np.average(u * v, weights=weights) for u, v in (centred[:1] * 2, centred[1:] * 2, centred))
        return float(0.5 + np.arcsin(np.clip(both / np.sqrt(a * b), -1, 1)) / np.pi)


def _moments(v):
    """A number and its square as features of variance 1/12, outliers beyond five standard deviations moved there."""
    v = np.clip((v - v.mean()) / max(v.std(), 1e-300), -5, 5)
    square = v**2 - np.mean(v**2)
    return np.column_stack([v, square / max(square.std(), 1e-300)]) / np.sqrt(12)
