"""Recompute one data set of a scenario in the foreground and print all its details: `permconf replay`.

No files of a run are needed: the data set is determined by the scenario, the seed and its number.
"""

import logging
from pathlib import Path

import numpy as np

from permconf.engine.population import cell_counts
from permconf.errors import ConfigError
from permconf.permute.random_streams import Streams
from permconf.wording import TINY, count, p_text
from permconf_study.study.assessments import assess_datasets, dataset_sample, split_rows
from permconf_study.study.chunks import BLOCK
from permconf_study.study.configuration import chosen_scenario, configured
from permconf_study.study.data_source import drawn, with_values
from permconf_study.study.design import design_block
from permconf_study.study.tables import read_table

MANY = 20  # levels above which a variable is described by its range


def replayed(scenario, number, seed):
    """Parameters, data set, rows of the table of tests, and draws."""
    block = number // BLOCK
    design = design_block(scenario["data"], block, Streams(seed, scenario["stream"], block))
    row = {name: column[[number % BLOCK]] for name, column in design.items()}
    found = drawn(scenario["data"], row, stream=scenario["stream"], seed=seed)
    datasets = list(with_values(found, scenario))
    tests, draws = assess_datasets(datasets, scenario | {"draws": "all"}, stream=scenario["stream"], seed=seed)
    rows = [dict(zip(tests, values, strict=True)) for values in zip(*tests.values(), strict=True)]
    return {name: column[0] for name, column in row.items() if name != "dataset"}, datasets[0], rows, draws


def set_lines(dataset, scenario, seed):
    """Sizes and cell counts of the training and the test set."""
    if dataset.error:
        return []
    sample = dataset_sample(dataset, scenario)
    try:
        rows = split_rows(sample, scenario["split"], Streams(seed, scenario["stream"], dataset.number))
    except ValueError as error:
        return [f"not split: {error}"]
    lines = [count(sample.features.X.shape[1], "feature")]
    for name, part in zip(("training", "test"), rows, strict=True):
        lines.append(f"{name} set: {count(len(part), 'row')}; {_contents(sample.take(part))}")
    return lines


def _contents(sample):
    """Rows per cell of response and confounder; a variable with many values by its range."""
    c = sample.confounders
    numbers = [_levels(name, values) for name, values in zip(c.numeric_names, c.numeric.T, strict=True)]
    return "; ".join([_cells(sample.response.given, c.labels), *numbers])


def _cells(y, c):
    if max(np.unique(y).size, np.unique(c).size) > MANY or not len(y):
        return f"{_levels('y', y)}; {_levels('c', c)}"
    return ", ".join(f"{count} with y = {y}, c = {c}" for (y, c), count in cell_counts(y, c).items())


def _levels(name, values):
    levels, counts = np.unique(values, return_counts=True)
    if levels.size > MANY:
        return f"{name} from {levels[0]:.4g} to {levels[-1]:.4g}"
    return ", ".join(f"{count} with {name} = {level}" for level, count in zip(levels, counts, strict=True))


def result_lines(row, draws):
    """All numbers in a row of the table of tests, and quantiles of its draws."""
    numbers = {name: value for name, value in row.items() if isinstance(value, int | float | np.number)}
    lines = [f"{name}: {_number(name, value)}" for name, value in numbers.items()]
    for null in dict.fromkeys(draws["null"]):
        values = draws["value"][(draws["null"] == null) & (draws["metric"] == row["metric"])]
        quantiles = ", ".join(f"{q:.4g}" for q in np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
        lines.append(f"{null} null: {len(values)} draws; smallest, quartiles, largest: {quantiles}")
    return lines[1:]  # the first is the number of the data set


def _number(name, value):
    return p_text(value) if name.endswith("_p") and value < TINY else f"{value:.6g}"


def agreement(rows, path):
    """Whether the rows agree with those of a finished run, in a sentence."""
    if not Path(path).exists():
        return f"Not compared with a run: {path} does not exist."
    table = read_table(path, ("dataset", "metric"))
    differences = []
    for row in rows:
        kept = table[(table["dataset"] == row["dataset"]) & (table["metric"] == row["metric"])]
        if kept.empty:
            return f"{path} has no row for this data set."
        for name in (name for name in row if name in kept and name != "traceback"):
            now, then = row[name], kept.iloc[0][name]
            if not (now == then or (now != now and then != then)):
                differences.append(f"{row['metric']} {name} is {now}, was {then}")
    return f"It differs from {path}: {'; '.join(differences)}." if differences else f"It agrees with {path}."


def main(options):
    """Print all details of one data set; exit code 1 if it fails."""
    settings, scenarios = configured(options.config)
    scenario = chosen_scenario(options.scenario, scenarios)
    if not 0 <= options.dataset < scenario["datasets"]:
        raise ConfigError(f"{options.scenario} has data sets 0 to {scenario['datasets'] - 1}, no {options.dataset}")
    logging.disable(logging.CRITICAL)  # the log of a run would show the traceback a second time
    parameters, dataset, rows, draws = replayed(scenario, options.dataset, settings["seed"])
    print(f"{options.scenario}, data set {options.dataset}: {scenario['title']}")
    if parameters:
        print(f"parameters: {', '.join(f'{name} = {value:.6g}' for name, value in parameters.items())}")
    print("\n".join(set_lines(dataset, scenario, settings["seed"])))
    failed = [row for row in rows if row["status"] == "failed"]
    for row in rows if not failed else []:
        print("\n  ".join([f"{row['metric']}:", *result_lines(row, draws)]))
    if failed:
        print(f"It failed.\n{failed[0]['traceback']}")
    print(agreement(rows, Path(options.directory, "results", options.scenario, "tests.parquet")))
    return 1 if failed else 0
