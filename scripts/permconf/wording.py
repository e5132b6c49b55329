"""Counts and p-values as every message writes them."""

TINY = 1e-300  # smaller p-values are not distinguished: the normal tail underflows beyond 38 standard deviations


def count(number: int, noun: str) -> str:
    """A count with its noun: "1 row", "1,200 rows"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def p_text(p: float) -> str:
    """A p-value, never 0."""
    if p < TINY:
        return f"< {TINY:g}"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}"
