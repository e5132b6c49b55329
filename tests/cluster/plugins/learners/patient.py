"""Logistic regression that waits while a file exists: a job lasts until a test has done its harm."""

import time
from dataclasses import dataclass
from pathlib import Path

from permconf.learners.logistic import Logistic


@dataclass(frozen=True)
class Patient(Logistic):
    """Waits for the file `hold` to be removed, if there is one."""

    hold: str = ""

    def scores(self, X_train, Y_train, X_test, keys):
        while self.hold and Path(self.hold).exists():
            time.sleep(0.2)
        return super().scores(X_train, Y_train, X_test, keys)


LEARNER = Patient
