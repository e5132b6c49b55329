"""Logistic regression that rests before each fit: a job of known length that leaves the machine to others."""

import time
from dataclasses import dataclass

from permconf.learners.logistic import Logistic


@dataclass(frozen=True)
class Patient(Logistic):
    """Rests `seconds` per call, of which there are a few for each data set."""

    seconds: float = 1.0

    def scores(self, X_train, Y_train, X_test, keys):
        time.sleep(self.seconds)
        return super().scores(X_train, Y_train, X_test, keys)


LEARNER = Patient
