"""L2-penalised logistic regression; `penalty` is 1 / C of scikit-learn's `LogisticRegression`."""

from dataclasses import dataclass

from permconf.learners.logistic import Logistic


@dataclass(frozen=True)
class RidgeLogistic(Logistic):
    """Penalised logistic regression, defined for any number of training rows."""

    penalty: float = 1.0

    def __post_init__(self):
        if not self.penalty > 0:
            raise ValueError(f"ridge_logistic needs penalty > 0, not {self.penalty!r}; use logistic for none")


LEARNER = RidgeLogistic
