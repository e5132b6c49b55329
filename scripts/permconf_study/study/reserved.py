"""Names that no scenario may have."""

GROUPS = ("forests", "stress", "arena", "scenarios", "deviations", "mlconfound")  # what else a run can be asked for
FOLDERS = (
    "benchmarks",
    "logs",
    "made",
    "parity",
    "section4",
    "section4_forest",
    "smoke",
)  # of no scenario
RESERVED = tuple(sorted({*GROUPS, *FOLDERS}))
