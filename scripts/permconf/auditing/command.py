"""`permconf audit`: a file with a table becomes an answer on the screen, a page, JSON and a figure."""

import sys
from pathlib import Path

from permconf.data.table_files import read_data
from permconf.errors import ConfigError, one_line

NEEDS_FITS = ("features", "learner", "cv", "test_size", "repeats", "permutations", "sensitivity", "adjustment", "jobs")


def main(options) -> None:
    """Audit the table, print the answer, and write the files."""
    data = read_data(options.file)
    try:
        audit = _audited(data, options)
    except ValueError as error:
        raise ConfigError(one_line(error)) from error
    if options.json:
        from permconf.auditing.files import json_text

        print(json_text(audit))
    else:
        print(audit)
    if options.out or not options.json:
        written = _written(audit, Path(options.out or f"audit/{_stem(options.file)}"))
        print(f"\nWrote {written}.", file=sys.stderr if options.json else sys.stdout)


def _audited(data, options):
    given = {
        "response": options.response,
        "confounders": options.confounders,
        "groups": options.groups,
        "metric": options.metric,
        "seed": options.seed,
    }
    given = {name: value for name, value in given.items() if value is not None}
    if options.predictions:
        _check_no_fits(options)
        from permconf.auditing.given_predictions import audit_predictions

        scores = options.predictions[0] if len(options.predictions) == 1 else options.predictions
        return audit_predictions(data, scores=scores, **given)
    from permconf.auditing.audit import audit

    fitted = {"n_jobs" if name == "jobs" else name: getattr(options, name) for name in NEEDS_FITS}
    return audit(data, **given, **{name: value for name, value in fitted.items() if value is not None})


def _check_no_fits(options):
    for name in NEEDS_FITS:
        if getattr(options, name) is not None:
            raise ConfigError(f"--{name.replace('_', '-')} has no effect with --predictions, which fits nothing")


def _stem(file):
    return Path(file).name.split(".")[0]


def _written(audit, folder):
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("audit.html", "audit.json", "audit.png"):
            audit.save(folder / name)
    except OSError as error:
        raise ConfigError(f"the audit could not be written to {folder}: {error.strerror}; give --out") from error
    return f"{folder}/audit.html (the page), audit.json and audit.png"
