"""Choose the example data sets of a scenario and recompute their draws."""

from permconf_study.paper.tables.example_datasets import example_table
from permconf_study.study.assessments import replay
from permconf_study.study.datasets import read_datasets
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


def main(smk):
    with step(smk, f"examples of {smk.wildcards.scenario}"):
        examples = example_table(read_table(smk.input.tests))
        datasets = read_datasets(*smk.input.datasets)
        analysis = smk.params.analysis
        _, draws = replay(datasets, examples["dataset"], analysis, stream=analysis["stream"], seed=smk.params.seed)
        write_table(examples, smk.output.examples)
        write_table(draws, smk.output.draws)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
