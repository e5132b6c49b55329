"""No adjustment."""

from permconf.adjustments import Adjustment


class Nothing(Adjustment):
    """Leaves the data as they are."""

    keeps_confounder_tests = True
    needs_levels = False


ADJUSTMENT = Nothing
