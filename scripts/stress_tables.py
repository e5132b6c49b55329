"""Write the tables of the stress study: type I error, power, effect of inner draws, error of the corrected metric."""

from permconf.paper.tables import stress
from permconf.study.tables import logged, read_table, write_table


def main(smk):
    with logged(smk.log[0], "tables of the stress study"):
        tests, designs, unconfounded = (
            {cell: read_table(path) for cell, path in smk.params.tables[kind].items()}
            for kind in ("tests", "designs", "unconfounded")
        )
        write_table(stress.type1_error_table(tests), smk.output.type1_error)
        write_table(stress.power_table(tests, designs), smk.output.power)
        write_table(stress.inner_table(map(read_table, smk.input.inner)), smk.output.inner)
        corrections = stress.correction_table(tests, designs, unconfounded)
        write_table(corrections, smk.output.corrections)
        write_table(stress.correction_summary(corrections), smk.output.correction_summary)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
