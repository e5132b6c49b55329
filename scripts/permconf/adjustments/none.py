"""No adjustment."""

from permconf.adjustments import Adjustment


class Nothing(Adjustment):
    """Leaves the data as they are."""

    keeps_confounder_tests = True


ADJUSTMENT = Nothing
