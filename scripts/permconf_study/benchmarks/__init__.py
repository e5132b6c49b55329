"""Speed of the engine compared with loops a user would write: `permconf bench` writes docs/BENCHMARKS.md."""
