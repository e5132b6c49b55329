"""The style of figures, and histograms of permutation nulls."""
