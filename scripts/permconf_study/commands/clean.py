"""Remove the results of runs, except those that took long to compute: `permconf clean`."""

import shutil
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from permconf.wording import count
from permconf_study.study.part_logs import part_times
from permconf_study.study.processes import held, lock_path
from permconf_study.study.steps import configured_steps

LONG_SECONDS = 3600


def computed_seconds(results):
    """Time that the parts of each scenario took."""
    seconds: Counter[str] = Counter()
    for part in part_times(results):
        seconds[part.scenario] += part.seconds
    return seconds


def main(options):
    """Remove the results and figures of a folder in which there have been runs, and none is active."""
    folder = Path(options.directory).resolve()
    runs = [run for run in (folder, *folder.glob("results/*"), *folder.glob("results/*/*")) if lock_path(run).exists()]
    if not runs:  # results and figures may be those of another project
        print(f"Nothing was removed: there has been no run in {folder}.")
        return
    with ExitStack() as locks:
        for run in runs:
            locks.enter_context(held(run, patience=0))
        if options.old:
            _remove_old(folder / "results")
        else:
            _remove(folder, folder / "results", everything=options.all)


def _remove_old(results):
    """Remove what other settings or code than the present ones made: folders of parts of scenarios."""
    steps = configured_steps()
    old = [path for name in steps.scenarios for path in steps.old_folders(name, results)]
    for path in old:
        shutil.rmtree(path)
    print(f"Removed {count(len(old), 'folder')} of earlier settings or code.")


def _remove(folder, results, *, everything):
    """Remove results and figures; print what is kept."""
    long = {} if everything else {k: s for k, s in computed_seconds(results).items() if s > LONG_SECONDS}
    spared = {results / name for name in long} | {results / "logs"} if long else set()
    for path in (*results.glob("*"), *(folder / "figures").glob("*")):
        if path not in spared and path.name != "README.md":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    for name, seconds in long.items():
        took = f"{seconds / 3600:.1f} hours"
        print(f"Kept {results / name}, which took {took} to compute (permconf clean --all removes it).")
    if not long:
        shutil.rmtree(folder / ".snakemake", ignore_errors=True)
