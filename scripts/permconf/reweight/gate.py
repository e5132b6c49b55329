"""When weights do not carry a value."""

from permconf.wording import count

BALANCE_LIMIT = 0.05  # how far the AUC of the confounders' index may be from 1/2 in weighted rows
FEWEST_UNITS = 5  # effective number of rows (or subjects) of a class

MOST_EXPLAINED = 0.3  # share of the variance of a numeric response


def reason_against(freedom: float, balance: float = 0.5, explained: float = 0.0) -> str:
    """Why weights with this balance, and with so many degrees of freedom, carry no value; "" if they do."""
    if explained > MOST_EXPLAINED:
        return f"the confounders explain {explained:.0%} of the variance of the response, too much to weigh rows by"
    if freedom + 1 < FEWEST_UNITS:
        return f"the weight of a class lies on too few rows: it is worth {count(max(round(freedom + 1), 1), 'row')}"
    if not abs(balance - 0.5) <= BALANCE_LIMIT:
        return (
            "cases and controls differ too much in the confounders: with weights, confounders alone still have an AUC"
            f" of {max(balance, 1 - balance):.2f} instead of 0.50"
        )
    return ""
