"""Theorems 1 and 2 of the paper, partial association and distances."""
