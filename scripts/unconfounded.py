"""Write the truths of all chunks of a scenario as one table."""

import pandas as pd

from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


def main(smk):
    with step(smk, f"truths of {smk.wildcards.scenario}"):
        write_table(pd.concat(map(read_table, smk.input.truths), ignore_index=True), smk.output.unconfounded)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
