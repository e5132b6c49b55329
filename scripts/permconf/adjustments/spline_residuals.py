"""Features residualised on the confounders: a regression with splines for numeric confounders."""

from dataclasses import dataclass

from permconf.adjustments import Adjustment
from permconf.adjustments._confounder_basis import KNOTS, ConfounderBasis
from permconf.options import whole_number


@dataclass(frozen=True)
class SplineResiduals(Adjustment):
    """Subtracts from every feature its least-squares fit on the confounders, fitted to the training rows.

    Numeric confounders enter by natural cubic splines with `knots` knots at quantiles, or by straight lines with two.
    With categorical confounders only, it subtracts level means, as `residuals` does.
    """

    knots: int = KNOTS
    needs_levels = False

    def __post_init__(self):
        whole_number(self.knots, "knots of spline_residuals", least=2)

    def transform(self, X_train, c_train, X_test, c_test):
        """Both sets with residuals as features."""
        basis = ConfounderBasis.of(c_train, knots=self.knots)
        Z, mean = basis.columns(c_train), X_train.mean(axis=0)
        slopes = Z.T @ X_train / len(X_train)
        return X_train - mean - Z @ slopes, X_test - mean - basis.columns(c_test) @ slopes


ADJUSTMENT = SplineResiduals
