"""Write Table 1 from the scenarios that ran, after checking their designs against it."""

from permconf.plotting.style import save
from permconf_study.paper.figures.table1 import figure, parameter_columns
from permconf_study.study.parameters import bounds
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


def check_design(scenario, design):
    """Raise if a design does not match the table: number of data sets, ranges of the parameters."""
    data = scenario["data"]
    if len(design) != scenario["datasets"]:
        raise ValueError(f"the design of {scenario['name']} has {len(design)} rows, not {scenario['datasets']}")
    for name, spec in data["parameters"].items():
        low, high = bounds(spec, data["parameters"])
        if name not in data.get("renormalise", []) and not design[name].between(low - 1e-12, high + 1e-12).all():
            raise ValueError(f"the design of {scenario['name']} has {name} outside [{low}, {high}]")


@step("Table 1")
def main(smk):
    for scenario, path in zip(smk.params.scenarios, smk.input.designs, strict=True):
        check_design(scenario, read_table(path))
    columns = parameter_columns(smk.params.scenarios)
    write_table(columns, smk.output.csv)
    save(figure(columns), smk.output.pdf, smk.output.png)
