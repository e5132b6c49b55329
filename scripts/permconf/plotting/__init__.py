"""How figures look and are saved, and how permutation nulls are drawn."""
