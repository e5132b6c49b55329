"""The only place that fits: folds, adjustments, observed values, permutation nulls, contracts of plug-ins."""
