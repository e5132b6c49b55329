"""Outputs specific to this paper: figures, claims, report and a few extra tables."""
