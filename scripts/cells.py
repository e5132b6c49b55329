"""Write the results of a study cell by cell."""

from permconf_study.study.cells import Part, cell_table
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("cells of {w.family}")
def main(smk):
    truths, parts = iter(smk.input.truths), []
    for about, tests, design in zip(smk.params.parts, smk.input.tests, smk.input.designs, strict=True):
        known = {key: value for key, value in about.items() if key != "has_truth"}
        truth = read_table(next(truths)) if about["has_truth"] else None
        parts.append(Part(tests=read_table(tests), design=read_table(design), truths=truth, **known))
    write_table(cell_table(parts), smk.output.cells)
