"""Names that no scenario may have."""

GROUPS = ("forests", "stress", "arena", "scenarios", "deviations", "mlconfound")  # what else a run can be asked for
FOLDERS = ("benchmarks", "logs", "parity", "section4", "section4_forest", "smoke")  # of results that are no scenarios
RESERVED = tuple(sorted({*GROUPS, *FOLDERS}))
