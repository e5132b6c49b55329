"""Simulate the data sets of one chunk."""

from permconf.study.chunks import chunk_range
from permconf.study.data_source import drawn
from permconf.study.datasets import write_datasets
from permconf.study.paths import use_plugins
from permconf.study.tables import logged, read_columns, removed


def main(smk):
    with logged(smk.log[0], f"data sets {smk.wildcards.chunk} of {smk.wildcards.scenario}"):
        use_plugins(smk.config)
        design = read_columns(smk.input.design)
        chunk = chunk_range(smk.wildcards.chunk)
        if chunk[-1] not in design["dataset"]:
            raise removed(smk.input.design)
        rows = slice(*(int(n - design["dataset"][0]) for n in (chunk.start, chunk.stop)))
        design = {name: column[rows] for name, column in design.items()}
        data = smk.params.data
        write_datasets(drawn(data, design, stream=data["stream"], seed=smk.params.seed), smk.output.datasets)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
