"""Checks of a scenario that a schema cannot make, each with a one-sentence error."""

import inspect
import itertools

import numpy as np

from permconf import registry
from permconf.engine.population import share_table
from permconf.errors import SYSTEM_ERRORS, ConfigError, nearest, one_line
from permconf.expressions import condition
from permconf.generators import checked_sample, make_generator
from permconf.metrics import make_metric
from permconf_study.study.chunks import BLOCK
from permconf_study.study.estimators import ESTIMATORS, WORLDS
from permconf_study.study.parameters import bounds, check_parameter, check_rows, hypercube_names, varied_parameters
from permconf_study.study.rejection_rates import TESTS
from permconf_study.study.splits import SPLITS

TRIALS = 3  # data sets that are drawn before a run: some may fail
MOST_ROWS = 1_000_000  # of a data set that is drawn only to check its parameters
_SPLITS_BY_LEVELS = ("stratified", "population")
_NEEDS_MORE_ROWS_THAN_COEFFICIENTS = ("logistic", "linear_regression")


def check_scenario(settings):
    """Raise ConfigError if the parts of a completed scenario do not fit together."""
    try:
        _check_names(settings)
        _check_split(settings["split"])
        if not (settings["permutations"] or settings["predictions"]):
            raise ValueError("permutations is 0, and without predictions nothing is tested")
        _check_confounder(settings["confounder"])
        if settings["table"]:
            _check_table_keys(settings)  # what depends on its values is left to `check_engine`
        else:
            _check_generated(settings)
    except (ValueError, ImportError) as error:
        raise ConfigError(f"{settings['where']}: {error}") from error


def _check_generated(settings):
    """Whether the generator of a scenario, its parameters and the metrics fit together."""
    generator = make_generator(settings["data"]["generator"])
    tasks = {metric: make_metric(metric).task for metric in settings["metrics"]}
    _check_parameters(settings["data"], generator)
    if _smooth(settings["confounder"]):
        _check_without_levels(settings)
    for where, parameters in _variants(settings["data"]):
        _check_values(where, parameters, settings, generator)
    _check_truth(settings, generator)
    _check_figure(settings)
    for metric, task in tasks.items():
        if task != generator.task:
            raise ValueError(
                f"metrics: {metric!r} is for {task}, but the response of generator"
                f" {settings['data']['generator']!r} is for {generator.task}"
            )


def _check_truth(settings, generator):
    """Whether worlds are known, and alternatives are true under conditions on parameters and variables of the grid."""
    for name in settings.get("truth", {}).get("worlds", ()):
        for world in WORLDS[name][:2]:
            if world and world not in generator.worlds:
                given = settings["data"]["generator"]
                raise ValueError(f"truth.worlds: {name!r} needs the world {world!r}, which generator {given!r} lacks")
    names = {**settings["cell"], **settings["data"]["parameters"]}
    names |= {name: 1 for row in settings["data"].get("rows", ()) for name in row}
    for key, given in settings.get("truth", {}).items():
        if isinstance(given, str):
            try:
                condition(given, names)
            except ValueError as error:
                raise ValueError(f"truth.{key}: {error}") from error


def _check_figure(settings):
    """Whether reference and figure have variables of the study, and the figure its tests or estimators."""
    for name in settings.get("reference", ()):
        if name not in settings["cell"]:
            raise ValueError(f"reference: the grid has no variable {name!r}{nearest(name, settings['cell'])}")
    given = settings.get("figure", {})
    if isinstance(given, str):
        if given not in registry.names("figures"):
            raise ValueError(f"figure: unknown figure {given!r}{nearest(given, registry.names('figures'))}")
        return
    kind = "test" if given.get("y", "rejection_rate") == "rejection_rate" else "estimator"
    made, variables = (
        [*(TESTS if kind == "test" else ESTIMATORS | WORLDS)],
        [*settings["cell"], *varied_parameters(settings["data"])],
    )
    places = [(kind, made, "of", name) for name in given.get("of", ())]
    places += [("variable", variables, at, given[at]) for at in ("rows", "columns", "colour", "x") if at in given]
    for kind, known, place, name in places:
        if name not in known:
            raise ValueError(f"figure.{place}: the study has no {kind} {name!r}{nearest(name, known)}")


def check_reference(settings, cells):
    """Raise ConfigError if no cell of the study has the values of the reference."""
    given = settings.get("reference", {})
    if given and not any(given.items() <= cell.items() for cell in cells):
        wrong = " and ".join(f"{name} {value!r}" for name, value in given.items())
        known = "; ".join(f"{name}: {', '.join(dict.fromkeys(repr(cell[name]) for cell in cells))}" for name in given)
        raise ConfigError(f"{settings['where']}: reference: the grid has no cell with {wrong}; choose from {known}")


def check_engine(scenario):
    """Raise ConfigError if the learner or the adjustment of a scenario cannot be made, or they do not fit."""
    from permconf.engine.adjustment import check_adjustment, make_adjustment
    from permconf.engine.contracts import check_task
    from permconf.learners import make_learner

    try:
        adjustment = make_adjustment(scenario["adjustment"])
        learner = make_learner(scenario["learner"])
        task, levels = _task_and_levels(scenario)
        check_task(learner, task)
        check_adjustment(adjustment, learner, task, levels=levels)
        if scenario["confounder_tests"] and not adjustment.keeps_confounder_tests:
            raise ValueError(f"confounder_tests are not valid after adjustment {scenario['adjustment']!r}")
    except (ValueError, ImportError) as error:
        raise ConfigError(f"{scenario['where']}: {error}") from error


def check_draws(scenario, seed):
    """Raise ConfigError if the generator of a scenario can draw none of a few data sets with its parameters."""
    if scenario["table"]:
        return
    from permconf.permute.random_streams import Streams
    from permconf_study.study.design import design_block

    data, generator = scenario["data"], make_generator(scenario["data"]["generator"])
    parameters = {name: _without_hypercube(spec) for name, spec in data["parameters"].items()}
    design = design_block(data | {"parameters": parameters}, 0, Streams(seed, scenario["stream"], 0))
    failure: BaseException | None = None
    for row in np.linspace(0, BLOCK - 1, TRIALS).astype(int):
        values = {name: column[row] for name, column in design.items() if name != "dataset"}
        if values.get("n", 0) > MOST_ROWS:
            return
        try:
            sample = generator.sample(np.random.default_rng(row), **values)
            checked_sample(sample, data["generator"], values.get("n"))
            return
        except SYSTEM_ERRORS:  # that of a login node may be small
            return
        except (Exception, SystemExit) as error:
            failure = failure or error
    raise ConfigError(
        f"{scenario['where']}: generator {data['generator']!r} cannot draw data with data.parameters:"
        f" {one_line(failure)}"
    ) from failure


def _without_hypercube(spec):
    """A parameter with values of the same range, but drawn without a hypercube, which takes seconds to import."""
    if not isinstance(spec, dict):
        return spec
    if "integers" in spec:
        return sum(spec["integers"]) // 2
    return {"uniform" if kind == "range" else kind: value for kind, value in spec.items()}


def _task_and_levels(scenario):
    """What the response is for, and whether the confounder has levels."""
    if not scenario["table"]:
        return make_generator(scenario["data"]["generator"]).task, not _smooth(scenario["confounder"])
    from permconf_study.study.own_table import check_table  # needs pandas, which takes a third of a second

    task, levels = check_table(scenario)
    if not levels:
        _check_without_levels(scenario)
    return task, levels


def _check_table_keys(settings):
    """Whether no key is given that only a generator takes."""
    for key in ("generator", "parameters", "rows", "renormalise", "hypercube"):
        if settings["data"].get(key):
            raise ValueError(f"data.{key} is for generated data; leave it out beside data.table")
    if "truth" in settings:
        raise ValueError("truth cannot be given beside data.table: the truth of your own data is unknown")
    if settings["group"] == "redraws":
        raise ValueError("group 'redraws' is for generated data; leave it out beside data.table")


def _check_names(settings):
    """Whether learner and adjustment are the names of files (a dotted name says where else to look)."""
    for kind, hidden in (("learner", "estimator"), ("adjustment", None)):
        name = settings[kind] if isinstance(settings[kind], str) else settings[kind]["name"]
        known = [k for k in registry.names(f"{kind}s") if k != hidden]
        if name not in known and not (kind == "learner" and "." in name):
            raise ValueError(f"unknown {kind} {name!r}{nearest(name, known)}")


def _check_confounder(binning):
    """Whether given breaks are in order."""
    for one in binning if isinstance(binning, list) else [binning]:
        breaks = one["breaks"] if isinstance(one, dict) and "breaks" in one else []
        if any(left >= right for left, right in itertools.pairwise(breaks)):
            raise ValueError(f"confounder.breaks must increase: {breaks}")


def _smooth(confounder):
    """Whether a confounder is preserved without bins."""
    return "smooth" in (confounder if isinstance(confounder, list) else [confounder])


def _check_without_levels(settings):
    """Whether nothing needs the levels that a smooth confounder lacks."""
    split = settings["split"]["name"]
    if split in _SPLITS_BY_LEVELS:
        raise ValueError(f"split {split!r} needs levels of the confounder, but confounder is smooth")
    for kind in settings["confounder_tests"]:
        raise ValueError(f"confounder_tests.{kind} needs levels of the confounder, but confounder is smooth")


def _check_parameters(data, generator):
    """Whether the names are known and the values make sense by themselves."""
    parameters, rows = data["parameters"], data.get("rows", ())
    for where, given in (("parameters", parameters), *((f"rows.{k}", row) for k, row in enumerate(rows))):
        for name in given:
            if name not in generator.names():
                raise ValueError(f"data.{where}: unknown parameter {name!r}{nearest(name, generator.names())}")
    check_rows(rows, parameters)
    merged = {name: value for row in rows for name, value in row.items()} | parameters
    for name, spec in parameters.items():
        check_parameter(name, spec, merged)
    for name in data.get("renormalise", []):
        if name not in merged:
            raise ValueError(f"data.renormalise: unknown parameter {name!r}{nearest(name, merged)}")
    if data["hypercube"] != "optimised" and not hypercube_names(parameters):
        raise ValueError(f"data.hypercube is {data['hypercube']!r}, but no parameter is given by range or integers")


def _variants(data):
    """The parameters with each of the rows merged over them, and what to call them in a message."""
    if "rows" not in data:
        return [("data.parameters", data["parameters"])]
    return [(f"data.rows.{k}", data["parameters"] | row) for k, row in enumerate(data["rows"])]


def _check_values(where, parameters, settings, generator):
    """Whether parameters (of one row, if there are rows) are complete and fit together."""
    for name in generator.required:
        if name not in parameters:
            raise ValueError(f"{where}: generator {settings['data']['generator']!r} needs {name!r}")
    if generator.probabilities:
        _check_probabilities(where, parameters, settings["data"].get("renormalise", []), generator.probabilities)
    if "n" in parameters:
        _check_sample_size(where, parameters, settings, generator)


def _check_probabilities(where, parameters, renormalised, names):
    ends = {name: bounds(parameters[name], parameters) for name in names}
    for name, (low, high) in ends.items():
        if low < 0 or high > 1:
            raise ValueError(f"{where}.{name} must be a probability, but takes values from {low:g} to {high:g}")
    if set(names) <= set(renormalised):
        return
    derived_last = [n for n in names if isinstance(parameters[n], dict) and "one_minus" in parameters[n]]
    if any(set(parameters[n]["one_minus"]) == set(names) - {n} for n in derived_last):
        return
    fixed_sum = sum(low for low, _ in ends.values())
    if any(low != high for low, high in ends.values()) or abs(fixed_sum - 1) > 1e-9:
        total = " to ".join(f"{sum(e[k] for e in ends.values()):g}" for k in (0, 1))
        raise ValueError(
            f"{where}: probabilities {', '.join(names)} cannot sum to one (their sum is {total});"
            " give one as one_minus of the others, or list them in renormalise"
        )


def _check_split(split):
    """Options that the split does not take or lacks, and population tables that make no sense."""
    options = inspect.signature(SPLITS[split["name"]]).parameters
    for option in split:
        if option != "name" and option not in options:
            raise ValueError(f"split: {split['name']!r} does not take {option!r}")
    for name, option in options.items():
        if option.kind is option.KEYWORD_ONLY and option.default is option.empty and name not in ("rng", *split):
            raise ValueError(f"split: {split['name']!r} needs {name!r}")
    if "shares" in split:
        share_table(split["shares"])


def _check_sample_size(where, parameters, settings, generator):
    smallest, learner = bounds(parameters["n"], parameters)[0], settings["learner"]
    if smallest < 1 or smallest != int(smallest):
        raise ValueError(f"{where}.n must be a whole number of rows from 1, not {smallest:g}")
    if settings["split"]["name"] == "none":
        return
    if smallest < 4:
        raise ValueError(f"{where}.n is too small to split: {smallest}")
    learner = learner if isinstance(learner, str) else learner["name"]
    features = bounds(parameters.get("features", generator.optional.get("features", 1)), parameters)[1]
    if learner in _NEEDS_MORE_ROWS_THAN_COEFFICIENTS and smallest // 2 < features + 2:
        raise ValueError(
            f"{where}.n is too small to split: {smallest} leaves {smallest // 2} training rows"
            f" for the {features + 1} coefficients of learner {learner!r}"
        )
