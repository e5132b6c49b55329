"""Features residualised on the confounders: a regression with splines for numeric confounders."""

from dataclasses import dataclass, replace

from permconf.adjustments import Adjustment
from permconf.adjustments._confounder_basis import KNOTS, ConfounderBasis
from permconf.data.features import feature_matrix
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

    def adjusted(self, split, rng):
        """Both sets with residuals as features."""
        basis = ConfounderBasis.of(split.c_train, knots=self.knots)
        X, Z = feature_matrix(split.X_train, "X_train"), basis.columns(split.c_train)
        slopes, mean = Z.T @ X / len(X), X.mean(axis=0)
        return replace(
            split,
            X_train=split.X_train - mean - Z @ slopes,
            X_test=split.X_test - mean - basis.columns(split.c_test) @ slopes,
        )


ADJUSTMENT = SplineResiduals
