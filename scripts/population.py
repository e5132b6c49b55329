"""Write the corrections and tests of Section 4, and the cell counts of all sets of its first data set."""

from permconf.permute.random_streams import Streams
from permconf_study.paper.tables.section4 import cell_columns, relative_columns
from permconf_study.study.assessments import dataset_split
from permconf_study.study.datasets import read_datasets
from permconf_study.study.tables import logged, read_table, write_table


def main(smk):
    with logged(smk.log[0], f"population of {smk.wildcards.study}"):
        tables = (read_table(path) for path in (smk.input.development, smk.input.baseline))
        write_table(relative_columns(*tables), smk.output.relative)
        dataset = next(read_datasets(smk.input.datasets))
        streams = Streams(smk.params.seed, smk.params.stream, dataset.number)
        sets = {"development": (dataset.y, dataset.c)}
        for name, split in smk.params.splits.items():
            parts = dataset_split(dataset, {"split": split}, streams, task="classification")
            sets |= {f"{name}_train": (parts.y_train, parts.c_train), f"{name}_test": (parts.y_test, parts.c_test)}
        write_table(cell_columns(smk.params.splits["baseline"]["shares"], sets), smk.output.cells)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
