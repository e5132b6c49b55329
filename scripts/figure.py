"""Draw one figure from its tables."""

import importlib

from permconf.plotting.style import save
from permconf_study.study.tables import logged, read_table


def main(smk):
    with logged(smk.log[0], f"figure {smk.wildcards.figure}"):
        tables = {name: read_table(path) for name, path in smk.params.tables.items()}
        module = importlib.import_module(f"permconf_study.paper.figures.{smk.params.module}")
        save(module.figure(tables), smk.output.pdf, smk.output.png)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
