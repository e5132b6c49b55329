"""Simulate the data sets of one chunk."""

from permconf_study.study.chunks import chunk_range
from permconf_study.study.data_source import drawn
from permconf_study.study.datasets import shared, write_datasets
from permconf_study.study.design import read_design
from permconf_study.study.part_logs import log, step


@step("data sets {w.chunk} of {w.scenario}")
def main(smk):
    if other := shared(smk.output.datasets):
        log.info("the same data sets as %s", other)
        return
    design = read_design(smk.input.design)
    chunk = chunk_range(smk.wildcards.chunk)
    rows = slice(*(int(n - design["dataset"][0]) for n in (chunk.start, chunk.stop)))
    design = {name: column[rows] for name, column in design.items()}
    data = smk.params.data
    write_datasets(drawn(data, design, stream=data["stream"], seed=smk.params.seed), smk.output.datasets)
