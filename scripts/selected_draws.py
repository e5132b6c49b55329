"""Choose the example data sets of a scenario and recompute their draws."""

from permconf.paper.tables.example_datasets import example_datasets
from permconf.study.assessments import replay
from permconf.study.datasets import scenario_datasets
from permconf.study.paths import use_plugins
from permconf.study.tables import logged, read_table, write_table


def main(smk):
    with logged(smk.log[0], f"examples of {smk.wildcards.scenario}"):
        use_plugins(smk.config)
        chosen = example_datasets(read_table(smk.input.tests))
        data, analysis = smk.params.data, smk.params.analysis
        _, datasets = scenario_datasets(data, sorted(set(chosen.values())), seed=smk.params.seed)
        _, draws = replay(datasets, chosen.values(), analysis, stream=analysis["stream"], seed=smk.params.seed)
        write_table({"example": list(chosen), "dataset": list(chosen.values())}, smk.output.examples)
        write_table(draws, smk.output.draws)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
