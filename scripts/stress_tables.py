"""Put the stress study together: levels, power, effect of the inner draws, errors of the corrected metric."""

from pathlib import Path

from permconf.paper.tables import stress
from permconf.study.tables import logged, read_table, written_whole


def main(smk):
    with logged(smk.log[0], "tables of the stress study"):
        tests = _by_cell(smk.input.tests)
        designs, unconfounded = _by_cell(smk.input.designs), _by_cell(smk.input.unconfounded)
        cells = {cell: tests[cell] for cell in stress.CELLS}
        _write(stress.level_table(tests), smk.output.levels)
        _write(stress.power_table(cells, designs), smk.output.power)
        inner = [table for name, table in tests.items() if name.startswith("inner_")]
        _write(stress.inner_table([*inner, cells["cy_cx_yx"]]), smk.output.inner)
        corrections = stress.correction_table(cells, designs, unconfounded)
        _write(corrections, smk.output.corrections)
        _write(stress.correction_summary(corrections), smk.output.correction_summary)


def _by_cell(paths):
    """Tables by the name of their scenario, less its first word."""
    return {Path(path).parent.name.removeprefix("stress_"): read_table(path) for path in paths}


def _write(table, path):
    with written_whole(path) as temporary:
        table.to_csv(temporary, index=False) if str(path).endswith(".csv") else table.to_parquet(temporary, index=False)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
