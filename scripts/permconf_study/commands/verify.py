"""Compare a run with the published reference: `permconf verify`; `permconf verify --write` renews the reference."""

import csv
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from permconf.errors import ConfigError
from permconf.versions import processor, versions
from permconf.wording import count
from permconf_study.commands import reference as published
from permconf_study.commands.run import snakemake
from permconf_study.study.configuration import read_settings

IDENTICAL, ROUNDED, DIFFERENT = "identical", "equal within rounding", "different"
NOT_COMPARABLE, NOT_RUN = "not comparable", "not run"


@dataclass(frozen=True)
class Verdict:
    """The answer for one table, what it rests on, and whether the run has as many data sets as the reference."""

    answer: str
    detail: str = ""
    whole: bool = True


def verified(folder, tables):
    """A verdict on every table of the reference, by name."""
    found = {name: _table_verdict(Path(folder) / name, name, tables) for name in tables}
    resized = {Path(name).parent for name, verdict in found.items() if not verdict.whole}
    return {name: _excused(name, verdict, resized, tables) for name, verdict in found.items()}


def _excused(name, verdict, resized, tables):
    """A table that sums up data sets cannot be compared in a run with another number of them."""
    own = Path(name).parent
    has_datasets = (own / "tests.parquet").as_posix() in tables
    if verdict.answer == DIFFERENT and published.WHOLE in tables[name] and (own in resized or not has_datasets):
        return Verdict(NOT_COMPARABLE, "this run has another number of data sets") if resized else verdict
    return verdict


def _table_verdict(path, name, tables):
    if not path.exists():
        return Verdict(NOT_RUN)
    first = next(iter(tables[name].values()))
    found = published.comparable(path, name, tables)
    columns = dict(list(found.items())[: len(first["columns"])])  # a later version may add columns at the end
    if list(columns) != list(first["columns"]):
        return Verdict(DIFFERENT, part_difference(first, found))
    covered = _covered(columns, tables[name])
    if not covered:
        return Verdict(NOT_COMPARABLE, "this run has fewer data sets than the first part of the reference", False)
    answers = [part_difference(tables[name][label], rows) for label, rows in covered.items()]
    partial = len(covered) < len(tables[name])
    whole = published.WHOLE in covered or _last(tables[name]) == columns["dataset"].max()
    of_all = f" of {_last(tables[name]) + 1:,}" if partial else ""
    extent = count(sum(tables[name][label]["rows"] for label in covered), "row")
    if published.WHOLE not in covered:
        extent += f", data sets 0 to {_last(covered)}{of_all}" if _last(covered) else ", one data set"
    wrong = next(filter(None, answers), None)
    if wrong:
        return Verdict(DIFFERENT, wrong, whole)
    same = all(published.digest(rows) == tables[name][label]["sha256"] for label, rows in covered.items())
    return Verdict(IDENTICAL if same else ROUNDED, extent, whole)


def _last(labels):
    return max(int(label.partition("-")[2]) for label in labels)


def _covered(columns, labels):
    """The parts of the reference that a table has completely, by label."""
    if published.WHOLE in labels:
        return {published.WHOLE: columns}
    number = columns.get("dataset", np.array([]))
    bounds = {label: tuple(map(int, label.split("-"))) for label in labels}
    return {
        label: published.rows_between(columns, *ends)
        for label, ends in bounds.items()
        if len(number) and ends[1] <= number.max()
    }


def part_difference(expected, columns):
    """The first difference between a part of the reference and that of a run, as a sentence; empty if there is none."""
    if list(columns) != list(expected["columns"]):
        return f"columns {', '.join(columns)} instead of {', '.join(expected['columns'])}"
    rows = len(next(iter(columns.values())))
    if rows != expected["rows"]:
        return f"{count(rows, 'row')} instead of {expected['rows']:,}"
    for name, kept in expected["columns"].items():
        found = published.numbers(columns[name])
        row = _differing_sum(kept, found) if isinstance(kept, dict) else _differing_value(kept, found)
        if row:
            return f"{name} of {_row_name(columns, row[0])}: {_change(columns[name], *row)}"
    return ""


def _differing_value(kept, found):
    """The first differing row, the published value and how many rows differ; None if all agree."""
    values = published.restored(kept, len(found))
    within = published.ROUNDING * np.nanmax(np.abs(values), initial=0.0)
    same = (np.abs(values - found) <= within) | (np.isnan(values) & np.isnan(found))
    if same.all():
        return None
    row = int(np.argmin(same))
    return row, kept[row] if isinstance(kept, list) else kept, int((~same).sum())


def _differing_sum(kept, found):
    """As above, by sum and moment: a single changed value is located; of several only the sum is known.

    Values that have changed rows, or changes that cancel in the sum, change the moment.
    """
    change, moved = published.total(found) - kept["sum"], published.moment(found) - kept["moment"]
    missing = int(np.isnan(found).sum()) - kept.get("missing", 0)
    if not missing and abs(change) <= kept["within"] and abs(moved) <= kept["within"] * len(found):
        return None
    place = moved / change - 1 if abs(change) > kept["within"] else -1.0
    row = round(place)
    if missing or abs(place - row) > 1e-3 or not 0 <= row < len(found):
        return None, change, missing
    return row, found[row] - change, 1


def _row_name(columns, row):
    if row is None:
        number = columns.get("dataset")
        return "several rows" if number is None else f"several data sets from {number.min()} to {number.max()}"
    if "id" in columns:
        return str(columns["id"][row])
    name = f"data set {columns['dataset'][row]}" if "dataset" in columns else f"row {row + 1}"
    several = "metric" in columns and len(set(columns["metric"])) > 1
    return f"{name} ({columns['metric'][row]})" if several else name


def _change(values, row, expected, changed):
    if row is None:
        return f"values change, their sum by {expected:+.3g}" + (f", missing values by {changed:+d}" if changed else "")
    more = f"; {changed:,} of {len(values):,} rows differ" if changed > 1 else ""
    if isinstance(values[row], str) or expected is None:
        return f"{values[row]!r} instead of {expected!r}{more}"
    return f"{values[row]:.12g} instead of {expected:.12g} ({values[row] - expected:+.3g}){more}"


def final_tables(folder, targets=()):
    """The tables that the workflow makes in a folder for readers, with their state; chunks and designs are left out."""
    done = _snakemake(folder, targets, "--summary", "--quiet")
    if done.returncode:
        raise ConfigError(f"the workflow cannot be listed: {done.stderr.strip().splitlines()[-1]}")
    rows = csv.DictReader(done.stdout.splitlines(), delimiter="\t")
    names = {Path(row["output_file"]): row["status"] for row in rows}
    tables = [name for name in sorted(names) if name.suffix in (".csv", ".parquet") and len(name.parts) <= 3]
    return {str(name): names[name] for name in tables}


def is_current(folder, targets):
    """Whether no step of the workflow is due."""
    done = _snakemake(folder, targets, "--dry-run")
    return "Nothing to be done" in done.stdout + done.stderr


def _snakemake(folder, targets, *options):
    command = [*snakemake(folder, [], *options), "--", *targets]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(folder, targets, path):
    """Write the reference from a complete, current run."""
    states = final_tables(folder, targets)
    absent = [name for name in states if not (Path(folder) / name).exists()]
    if absent or not is_current(folder, targets):
        first = f" {absent[0]} is missing." if absent else ""
        raise ConfigError(f"the run is not complete and current; run: permconf run.{first}")
    kept = {name: published.parts(published.comparable(Path(folder) / name, name, states)) for name in states}
    described = {name: {label: published.described(rows) for label, rows in cut.items()} for name, cut in kept.items()}
    published.written({"about": about(), "tables": described}, path)
    print(f"{path}: wrote {count(len(states), 'table')}. Review the change: git diff --stat {path}")


def about():
    """What the reference was computed with."""
    return {"seed": read_settings()["seed"], "processor": processor()} | versions()


def main(options):
    """Print a verdict per table, and their number; 1 if one is different."""
    path = published.REFERENCE
    if options.write:
        return write(options.directory, options.targets, path)
    if not path.exists():
        raise ConfigError(f"{path} does not exist; write it from a complete run: permconf verify --write")
    reference = published.read(path)
    verdicts = verified(options.directory, reference["tables"])
    counts = Counter(verdict.answer for verdict in verdicts.values())
    if counts[NOT_RUN] == len(verdicts):
        raise ConfigError(f"{options.directory} has no results; run: make, or name the folder of a run by --directory")
    print("\n".join(lines(verdicts)))
    answers = ", ".join(f"{number} {answer}" for answer, number in counts.most_common())
    print(f"{count(len(verdicts), 'table')}: {answers}.")
    print(_environment(reference["about"]))
    return min(1, counts[DIFFERENT])


def lines(verdicts):
    """One line per compared table, and one with the tables that were not run, by folder."""
    width = max(map(len, verdicts))
    for name, verdict in verdicts.items():
        if verdict.answer != NOT_RUN:
            yield f"{name:<{width}}  {verdict.answer}: {verdict.detail}"
    missing = Counter(
        name if len(Path(name).parts) < 3 else f"{Path(name).parent}/"
        for name, verdict in verdicts.items()
        if verdict.answer == NOT_RUN
    )
    if missing:
        yield f"{NOT_RUN}: {', '.join(name + (f' ({n} tables)' if n > 1 else '') for name, n in missing.items())}"


def _environment(facts):
    here = about()
    others = [f"{name} {facts[name]} (here {here.get(name)})" for name in facts if facts[name] != here.get(name)]
    if not others:
        return "This environment has the versions and the processor of the published run."
    return f"The published run had {', '.join(others)}."
