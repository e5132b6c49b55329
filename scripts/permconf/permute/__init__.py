"""Restricted, free and conditional permutations, their units, random streams and kernels."""
