"""Choose the example data sets of a scenario and recompute their draws."""

from permconf_study.paper.tables.example_datasets import example_table
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.datasets import read_datasets
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


@step("examples of {w.scenario}")
def main(smk):
    examples = example_table(read_table(smk.input.tests))
    chosen = [one for one in read_datasets(*smk.input.datasets) if one.number in set(examples["dataset"])]
    analysis = smk.params.analysis | {"draws": "all"}
    _, draws = assess_datasets(chosen, analysis, stream=analysis["stream"], seed=smk.params.seed)
    write_table(examples, smk.output.examples)
    write_table(draws, smk.output.draws)
