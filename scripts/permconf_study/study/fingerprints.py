"""What made a result: a fingerprint of settings, seed and code, which the result carries with it.

Parts of a scenario (design, data sets, chunks) have the fingerprint in their path, so that old, new and orphaned jobs
never write to the same file. A result with a fixed name has a record in results/made, written by the step that made it:
its fingerprint, and the contents of what it was made from and of what it wrote. Neither needs Snakemake's own records,
which a job that outlives its head process does not have, or the times of files, which a copy does not keep.
"""

import contextlib
import json
import os
import time
from hashlib import blake2b
from pathlib import Path

from permconf.errors import ConfigError
from permconf.versions import versions
from permconf_study.study.code_digest import content_digest, imported_state, step_code
from permconf_study.study.paths import HOME
from permconf_study.study.tables import written_whole

OUTDATED = ".outdated"  # suffix of stamps
MADE_IN_TURN = (("design",), ("datasets",), ("chunks", "truths"))  # kinds of parts, as in `steps.PARTS`
PROJECT = "<project>"  # stands for the folder of the project in records


def fingerprint(step, settings, *, code=(), plugins=None, without=()):
    """Fingerprint of what a step makes from settings: these, and all code behind its script (see `step_code`)."""
    plugins = None if plugins is None else tuple(map(tuple, plugins))
    made = [settings, step_code(step, *code, plugins=plugins, without=tuple(without))]
    return blake2b(json.dumps(made, sort_keys=True, default=str).encode(), digest_size=8).hexdigest()


class Making:
    """A step at work: what it makes, checked against what its head process asked for, and recorded when it is done."""

    def __init__(self, smk):
        self.recipe, self.outputs = smk.params.recipe, list(map(str, smk.output))
        self.inputs = [str(path) for path in smk.input if not str(path).endswith(OUTDATED) and _has_fixed_name(path)]
        self.fingerprint, self.state = fingerprint(**self.recipe), imported_state()
        self.asked = getattr(smk.wildcards, "fingerprint", None)
        self.contents = contents(self.inputs)
        if self.asked not in (None, self.fingerprint):
            raise ConfigError(changed_sentence(self.recipe["step"]))

    @property
    def metadata(self):
        """What a table carries about its making."""
        return {"step": self.recipe["step"], "fingerprint": self.fingerprint, "versions": versions()}

    def finish(self):
        """Record what was made from what; raises if code or inputs changed meanwhile."""
        if self.state != imported_state() or self.contents != contents(self.inputs):
            for path in self.outputs:
                Path(path).unlink(missing_ok=True)
            raise ConfigError(changed_sentence(self.recipe["step"]))
        if self.asked is None:
            made = {"inputs": self.contents, "outputs": contents(self.outputs)}
            with written_whole(record_path(self.outputs[0])) as temporary:
                temporary.write_text(json.dumps(self.metadata | made, indent=1))
            record_path(self.outputs[0]).with_suffix(OUTDATED).unlink(missing_ok=True)


def changed_sentence(step):
    """Why a job stops that would compute something else than its head process asked for."""
    return f"settings, code or input of {step} changed while this job waited or ran; run again"


def contents(paths):
    """Fingerprints of the contents of files, by path."""
    return {_portable(path): content_digest(path) for path in paths}


def _portable(path):
    """A path as records have it: files of the project are the same in every clone."""
    path = Path(path)
    return f"{PROJECT}/{path.relative_to(HOME)}" if path.is_absolute() and path.is_relative_to(HOME) else str(path)


def _present(recorded):
    """The file that a record names."""
    return HOME / recorded.removeprefix(f"{PROJECT}/") if recorded.startswith(f"{PROJECT}/") else Path(recorded)


def _has_fixed_name(path):
    """Whether a file is none of the parts of a scenario, whose fingerprint is in their path."""
    return not (len(Path(path).parts) == 5 and any(Path(path).parts[2] in kinds for kinds in MADE_IN_TURN))


def parts(inputs):
    """The parts of scenarios among inputs (paths, or lists of paths)."""
    paths = [path for item in inputs for path in ([item] if isinstance(item, str | Path) else item)]
    return [str(path) for path in paths if not _has_fixed_name(path)]


def part_folders(parts):
    """The folders of parts; their names have fingerprints."""
    return sorted({str(Path(path).parent) for path in parts})


def record_path(output):
    """The record of the step whose first output this is."""
    return Path("results/made", str(output).removeprefix("results/") + ".json")


def read_record(output):
    """The record of a step, by its first output; empty if there is none that can be read."""
    try:
        return json.loads(record_path(output).read_text())
    except (OSError, ValueError):
        return {}


def why_outdated(output, expected=None):
    """Why the results of a step, by its first output, are not what they should be; empty if they are.

    `expected` is the fingerprint of the present settings and code, if it is known.
    """
    record = read_record(output)
    if not record:
        return f"{output} has no record of what made it"
    if expected is not None and record["fingerprint"] != expected:
        return f"settings or code changed since {output} was made"
    for kind in ("inputs", "outputs"):
        for path, content in record[kind].items():
            if content_digest(_present(path)) != content:
                return f"{path} {'changed' if _present(path).exists() else 'is missing'}"
    return ""


def stamp(outputs):
    """A file that is newer than the results of a step, by which Snakemake sees that they are out of date.

    Its content is new as well: Snakemake ignores a newer input with the content that it had before.
    """
    path = record_path(outputs[0]).with_suffix(OUTDATED)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{time.time()}\n")
    return str(path)


def align_times(output, parts, benchmark):
    """Give all results the same time if those of an up-to-date step are older than what they were made from.

    That happens in a copied folder. Snakemake would make them again, whatever they contain. `parts` are those that the
    step reads, where they still exist; Snakemake takes the benchmark file of a step for one of its results.
    """
    record = read_record(output)
    read = [path for path in (*record["inputs"], *parts) if not path.startswith(f"{PROJECT}/")]
    made, read = _times([*record["outputs"], benchmark]), _times(read)
    if max(read, default=0) > min(made):
        now = min(*made, *read)
        for path in result_files():
            if path.suffix != OUTDATED:
                _set_time(path, now)


def order_part_times(folder="."):
    """Let no part of a scenario be newer than those made from it: its path says what it is, and its time nothing.

    Snakemake would make the others again. `ancient` inputs are no way out: if one of them is made again, Snakemake 9.27
    forgets every other reason to make what is made from it (its issue 4166), and calls outdated tables up to date.
    """
    for scenario in Path(folder, "results").glob("*/"):
        latest = float("inf")
        for kinds in reversed(MADE_IN_TURN):
            paths = [path for kind in kinds for path in scenario.glob(f"{kind}/*/*")]
            for path in paths:
                if latest < max(_times([path]), default=0):
                    _set_time(path, latest)
            latest = min([latest, *_times(paths)])


def clamp_future_times(folder="."):
    """Give results whose time is in the future the present time: another clock wrote or copied them."""
    now = time.time()
    for path in result_files(folder):
        if max(_times([path]), default=0) > now:
            _set_time(path, now)


def result_files(folder="."):
    """All files of results and figures."""
    return (path for kind in ("results", "figures") for path in Path(folder, kind).rglob("*") if path.is_file())


def _times(paths):
    """Times of those files that exist."""
    times = []
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            times.append(Path(path).stat().st_mtime)
    return times


def _set_time(path, seconds):
    with contextlib.suppress(FileNotFoundError, PermissionError):  # another run's, or not to be written
        os.utime(path, (seconds, seconds))


def table_metadata(path):
    """What a Parquet table carries about its making; empty for tables of other origin."""
    from pyarrow import parquet

    found = (parquet.read_schema(path).metadata or {}).get(b"permconf")
    return json.loads(found) if found else {}
