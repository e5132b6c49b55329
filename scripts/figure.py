"""Draw one figure from its tables."""

import importlib

from permconf.plotting.style import save
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table


def main(smk):
    with step(smk, f"figure {smk.wildcards.figure}"):
        tables = {name: read_table(path) for name, path in smk.params.tables.items()}
        module = importlib.import_module(f"permconf_study.paper.figures.{smk.params.module}")
        save(module.figure(tables, **smk.params.options), smk.output.pdf, smk.output.png)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
