"""No adjustment."""

from permconf.adjustments import Adjustment


class NoAdjustment(Adjustment):
    """Leaves the data as they are."""

    keeps_confounder_tests = True
    needs_levels = False


ADJUSTMENT = NoAdjustment
