"""Write test-set predictions of one cell of the stress grid, for the tests of other packages."""

import numpy as np

from permconf.paper.tables.predictions import predictions, with_predictions
from permconf.study.datasets import scenario_datasets
from permconf.study.tables import logged, read_table, written_whole


def main(smk):
    with logged(smk.log[0], f"predictions of {smk.wildcards.cell}"):
        tests = with_predictions(read_table(smk.input.tests), smk.params.datasets)
        _, datasets = scenario_datasets(smk.params.data, tests["dataset"].tolist(), seed=smk.params.seed)
        columns = predictions(datasets, tests, smk.params.analysis, seed=smk.params.seed)
        with written_whole(smk.output.predictions) as temporary, open(temporary, "wb") as file:
            np.savez(file, **columns)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
