"""Where data sets come from: a generator, or a table of one's own.

Files of data sets of a table hold the numbers of its rows, in random order, in place of features, response and
confounders. The values are looked up when a data set is assessed. So files stay small whatever the number of features.
"""

from permconf_study.study.datasets import simulate


def drawn(data, design, *, stream, seed):
    """The data sets of the rows of a design: simulated, or row numbers of the table in random order."""
    if "table" not in data:
        return simulate(data, design, stream=stream, seed=seed)
    from permconf_study.study.own_table import row_orders  # needs pandas, which takes a third of a second

    return row_orders(data, design["dataset"], stream=stream, seed=seed)


def with_values(datasets, analysis):
    """The data sets as they are assessed: those of a table with the values of their rows."""
    if not analysis["table"]:
        return datasets
    from permconf_study.study.own_table import looked_up

    return looked_up(datasets, analysis)
