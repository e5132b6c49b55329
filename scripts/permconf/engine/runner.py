"""Work through blocks of permutations: in order or in parallel, with a progress bar for what takes longer."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from permconf.options import whole_number

DELAY = 2.0  # seconds after which a progress bar is shown


@dataclass(frozen=True)
class Runner:
    """`jobs` workers (as in joblib), threads for compiled learners or processes for those in Python."""

    jobs: int = 1
    processes: bool = False
    progress: bool | None = None

    def __call__(self, tasks: Sequence[Callable[[], Any]], label: str) -> list:
        """Results of all tasks, in their order."""
        from tqdm import tqdm

        hidden = not (sys.stderr.isatty() if self.progress is None else self.progress)
        delay = DELAY if self.progress is None else 0
        with tqdm(total=len(tasks), desc=label, unit="block", delay=delay, disable=hidden, leave=False) as bar:
            done = []
            for result in self._results(tasks):
                done.append(result)
                bar.update()
        return done

    def _results(self, tasks):
        if self.jobs == 1 or len(tasks) == 1:
            return (task() for task in tasks)
        from joblib import Parallel, delayed

        prefer = "processes" if self.processes else "threads"
        return Parallel(n_jobs=self.jobs, prefer=prefer, return_as="generator")(delayed(task)() for task in tasks)


def checked_jobs(n_jobs: Any) -> int:
    """A number of jobs from 1; None is 1, and -1 all cores, -2 all but one, and so on, as in joblib."""
    if n_jobs is None or (isinstance(n_jobs, int) and n_jobs < 0):
        return n_jobs or 1
    return whole_number(n_jobs, "n_jobs", least=1)
