"""Draw one figure from its tables."""

import importlib

from permconf.plotting.style import save
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table


@step("figure {w.figure}")
def main(smk):
    tables = {name: read_table(path) for name, path in smk.params.tables.items()}
    module = importlib.import_module(f"permconf_study.paper.figures.{smk.params.module}")
    save(module.figure(tables, **smk.params.options), smk.output.pdf, smk.output.png)
