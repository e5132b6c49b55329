"""Write test-set predictions of one cell of the stress grid, for the tests of other packages."""

import numpy as np

from permconf_study.paper.tables.predictions import predicted
from permconf_study.study.datasets import read_datasets
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, written_whole


@step("predictions of {w.cell}")
def main(smk):
    datasets = read_datasets(*smk.input.datasets)
    tests = read_table(smk.input.tests)
    columns = predicted(datasets, tests, smk.params.analysis, count=smk.params.datasets, seed=smk.params.seed)
    with written_whole(smk.output.predictions) as temporary, open(temporary, "wb") as file:
        np.savez(file, **columns)
