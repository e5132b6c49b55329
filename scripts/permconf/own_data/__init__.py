"""Own data: a file becomes a checked table, whose features are encoded for a learner."""
