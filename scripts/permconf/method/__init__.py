"""The paper's method and what this project adds to it: arrays in, numbers out. No files, no YAML, no Snakemake."""
