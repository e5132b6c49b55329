"""Choose the example data sets of a scenario and recompute their draws."""

from permconf.paper.tables.example_datasets import example_table
from permconf.study.assessments import replay
from permconf.study.datasets import scenario_datasets
from permconf.study.paths import use_plugins
from permconf.study.tables import logged, read_table, write_table


def main(smk):
    with logged(smk.log[0], f"examples of {smk.wildcards.scenario}"):
        use_plugins(smk.config)
        examples = example_table(read_table(smk.input.tests))
        data, analysis, seed = smk.params.data, smk.params.analysis, smk.params.seed
        numbers = sorted({int(number) for number in examples["dataset"]})
        _, datasets = scenario_datasets(data, numbers, seed=seed)
        _, draws = replay(datasets, numbers, analysis, stream=analysis["stream"], seed=seed)
        write_table(examples, smk.output.examples)
        write_table(draws, smk.output.draws)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
