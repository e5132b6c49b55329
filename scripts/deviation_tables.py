"""Write the results of alternative choices: experiments 1 to 4, and single figures."""

from permconf_study.paper.tables.deviations import experiment_table, figure_table
from permconf_study.study.part_logs import step
from permconf_study.study.tables import read_table, write_table


def _read(paths):
    """Tables for nested mappings and lists of paths."""
    if isinstance(paths, str):
        return read_table(paths)
    return {name: _read(path) for name, path in paths.items()} if isinstance(paths, dict) else list(map(_read, paths))


@step("tables of deviations")
def main(smk):
    experiments, figures = (_read(paths) for paths in (smk.params.experiments, smk.params.figures))
    write_table(experiment_table(experiments), smk.output.experiments)
    write_table(figure_table(**figures), smk.output.figures)
