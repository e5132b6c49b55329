"""The report: one HTML page with the figures, the ledger of claims, the rejection rates and the facts of a run."""
