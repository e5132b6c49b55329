"""Write the corrections and tests of Section 4, and the cell counts of all sets of its first data set."""

from permconf.permute.random_streams import Streams
from permconf_study.paper.tables.section4 import cell_columns, relative_columns
from permconf_study.study.assessments import dataset_sample, split_rows
from permconf_study.study.datasets import read_datasets
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("population of {w.study}")
def main(smk):
    tables = (read_table(path) for path in (smk.input.development, smk.input.baseline))
    write_table(relative_columns(*tables), smk.output.relative)
    dataset = next(read_datasets(smk.input.datasets))
    streams = Streams(smk.params.seed, smk.params.stream, dataset.number)
    sets = {"development": (dataset.y, dataset.c)}
    for name, split in smk.params.splits.items():
        rows = split_rows(dataset_sample(dataset, {}), split, streams)
        parts = zip(("train", "test"), rows, strict=True)
        sets |= {f"{name}_{part}": (dataset.y[chosen], dataset.c[chosen]) for part, chosen in parts}
    write_table(cell_columns(smk.params.splits["baseline"]["shares"], sets), smk.output.cells)
