"""Partial correlation of every data set, by the usual formula and by Theorem 1 (Fig. 7)."""

import numpy as np

from permconf.theory.partial_association import (
    expected_correlation,
    partial_correlation_formula,
    partial_correlation_from_null,
)


def partial_correlations(datasets, null_means):
    """Columns dataset, partial_correlation, theorem1_mc and theorem1_exact of data sets with one feature (Fig. 7).

    The first is the conventional formula; the others are Theorem 1 with the mean of the restricted null from Monte
    Carlo (`null_means`, by data set number) and in closed form. Failed data sets, which have no mean, are omitted.
    """
    columns: dict[str, list] = {"dataset": [], "partial_correlation": [], "theorem1_mc": [], "theorem1_exact": []}
    for dataset in datasets:
        null_mean = null_means.get(dataset.number, np.nan)
        if np.isnan(null_mean):
            continue
        x, y, c = dataset.X[:, 0], dataset.y, dataset.c
        columns["dataset"].append(dataset.number)
        columns["partial_correlation"].append(partial_correlation_formula(x, y, c))
        columns["theorem1_mc"].append(partial_correlation_from_null(x, y, c, null_mean))
        columns["theorem1_exact"].append(partial_correlation_from_null(x, y, c, expected_correlation(x, y, c)))
    return columns
