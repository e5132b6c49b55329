"""The outputs of this paper: figures, claims, report and a few extra tables."""
