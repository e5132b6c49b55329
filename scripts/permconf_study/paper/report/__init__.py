"""The report: one HTML page with figures, the ledger of claims, rejection rates and facts about the run."""
