"""Speed of the engine, measured side by side with what a user would write: `permconf bench` writes docs/BENCHMARKS.md."""
