"""Write the tables of the stress study: type I error, power, and errors of the corrected and the reweighted metric."""

from permconf_study.paper.tables import corrections, stress
from permconf_study.paper.tables.stress_cells import REWEIGHTED_CELLS
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


def main(smk):
    with step(smk, "tables of the stress study"):
        tests, designs, unconfounded = (
            {name: read_table(path) for name, path in smk.params.tables[kind].items()}
            for kind in ("tests", "designs", "unconfounded")
        )
        cells = stress.cell_tests(tests, designs)
        twelve = {cell: tests[name] for cell, name in stress.TWELVE_INNER_DRAWS.items()}
        effects = ({key: of[name] for key, name in stress.EFFECTS.items()} for of in (tests, designs))
        of_cells = (
            {cell: of[name] for cell, (name, _) in REWEIGHTED_CELLS.items()} for of in (tests, designs, unconfounded)
        )
        errors = corrections.correction_table(*of_cells)
        write_table(stress.rate_table(cells), smk.output.rates)
        write_table(stress.power_table(cells, designs), smk.output.power)
        write_table(stress.paired_table(cells, twelve), smk.output.paired)
        write_table(stress.effect_table(*effects), smk.output.effects)
        write_table(errors, smk.output.corrections)
        write_table(corrections.correction_summary(errors), smk.output.correction_summary)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
