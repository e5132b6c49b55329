"""Figures: one module per figure, drawn from tables only."""
