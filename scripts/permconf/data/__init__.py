"""What comes in, checked once: responses, confounders, features, tables."""
