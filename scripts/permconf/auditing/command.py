"""`permconf audit`: a file with a table becomes an answer on the screen, a page, JSON and a figure."""

import sys
from pathlib import Path

from permconf.auditing.gate import check, failures
from permconf.data.table_files import read_data
from permconf.errors import ConfigError, nearest, one_line

NEEDS_FITS = (
    *("features", "learner", "cv", "test_size", "split", "repeats", "permutations", "sensitivity", "adjustment"),
    "jobs",
)


def main(options) -> int:
    """Audit the table, print the answer, and write the files; 3 if it fails a condition of --fail-if."""
    _judged(check, options.fail_if)
    try:
        audit = _audited(read_data(options.file), options)
    except ValueError as error:
        raise ConfigError(one_line(error)) from error
    print(audit.to_json() if options.json else audit)
    if options.out or not options.json:
        written = _written(audit, Path(options.out or f"audit/{_stem(options.file)}"))
        print(f"\nWrote {written}.", file=sys.stderr if options.json else sys.stdout)
    found = _judged(failures, options.fail_if, audit)
    for sentence in found:
        print(f"permconf: --fail-if {sentence}", file=sys.stderr)
    return 3 if found else 0


def _judged(judge, conditions, *audit):
    """What a function of the gate finds; its errors name the option."""
    try:
        return judge(conditions, *audit)
    except ValueError as error:
        raise ConfigError(f"--fail-if {one_line(error)}") from error


def _audited(data, options):
    given = {
        "response": options.response,
        "positive": options.positive,
        "confounders": _confounders(options),
        "groups": options.groups,
        "metric": options.metric,
        "population": _population(options),
        "seed": options.seed,
    }
    given = {name: value for name, value in given.items() if value is not None}
    if options.predictions:
        _check_no_fits(options)
        from permconf.auditing.given_predictions import audit_predictions

        scores = options.predictions[0] if len(options.predictions) == 1 else options.predictions
        return audit_predictions(data, scores=scores, folds=options.folds, **given)
    if options.folds:
        raise ConfigError("--folds names the folds of --predictions; for folds that are fitted here give --cv")
    from permconf.auditing.audit import audit

    fitted = {"n_jobs" if name == "jobs" else name: getattr(options, name) for name in NEEDS_FITS}
    return audit(data, **given, **{name: value for name, value in fitted.items() if value is not None})


def _confounders(options):
    """The names of the confounders, with what was said about each of them."""
    said: dict[str, dict] = {name: {} for name in options.confounders}
    stated = [
        (name, "treatment", treatment) for treatment in ("levels", "smooth") for name in vars(options)[treatment] or ()
    ]
    stated += [(name, "quantiles", _number(name, bins)) for name, bins in options.bins or ()]
    stated += [(name, "role", role) for name, role in options.roles or ()]
    stated += [(name, "missing", "level") for name in options.missing_level or ()]
    for name, key, value in stated:
        if name not in said:
            raise ConfigError(f"{name!r} is not among the --confounders{nearest(name, said)}")
        if key in ("treatment", "quantiles") and {"treatment", "quantiles"} & said[name].keys():
            raise ConfigError(f"give one of --levels, --smooth and --bins for {name!r}")
        said[name][key] = value
    return {name: one or "auto" for name, one in said.items()} if stated else options.confounders


def _number(name, text):
    if not text.isdecimal():
        raise ConfigError(f"--bins {name}={text} must give a number of bins")
    return int(text)


def _population(options):
    """Shares of the cells of response and confounders, from a table with these columns and one named share."""
    if options.population is None:
        return None
    table, names = read_data(options.population), [options.response, *options.confounders]
    lacking = [name for name in (*names, "share") if name not in table]
    if lacking:
        raise ConfigError(f"{options.population} has no column {lacking[0]!r}; it needs {', '.join(names)} and share")
    cells = table[names].itertuples(index=False, name=None)
    cells = ((y, c[0] if len(c) == 1 else tuple(c)) for y, *c in cells)
    return [{"y": y, "c": c, "share": share} for (y, c), share in zip(cells, table["share"], strict=True)]


def _check_no_fits(options):
    for name in NEEDS_FITS:
        if getattr(options, name) is not None:
            raise ConfigError(f"--{name.replace('_', '-')} has no effect with --predictions, which fits nothing")


def _stem(file):
    return "stdin" if file == "-" else Path(file).name.split(".")[0]


def _written(audit, folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("audit.html", "audit.json", "audit.png"):
            audit.save(folder / name)
    except OSError as error:
        raise ConfigError(f"the audit could not be written to {folder}: {error.strerror}; give --out") from error
    return f"{folder}/audit.html (the page), audit.json and audit.png"
