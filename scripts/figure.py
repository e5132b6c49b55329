"""Draw one figure from its tables."""

import importlib
from pathlib import Path

from permconf.plotting.style import save
from permconf.workflow_io import logged, read_table


def main(smk):
    with logged(smk.log[0], f"figure {smk.wildcards.figure}"):
        spec = smk.params.figure
        roles = {scenario: f"{role}/" for role, scenario in spec.get("scenarios", {}).items()}
        tables = {roles.get(path.parent.name, "") + path.stem: read_table(path) for path in map(Path, smk.input)}
        figure = importlib.import_module(f"permconf.plotting.{spec['module']}").figure(tables)
        save(figure, smk.output.pdf)
        save(figure, smk.output.png)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
