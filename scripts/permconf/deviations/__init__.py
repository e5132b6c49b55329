"""What other choices than ours would have changed: measured for the register in docs/DEVIATIONS.md."""
