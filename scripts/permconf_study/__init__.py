"""The simulation study: scenario files become tables, tables the figures, claims and report of the paper."""
