"""The answer in plain words."""


def summary(audit):
    """The numbers of an audit, one line for each."""
    low, high = audit.observed_interval
    weighted_low, weighted_high = audit.reweighted_interval
    lines = [
        f"{audit.learner}, {audit.split}",
        f"{audit.metric} observed     {audit.observed:.3f} ({low:.3f} to {high:.3f})",
        f"{audit.metric} reweighted   {audit.reweighted:.3f} ({weighted_low:.3f} to {weighted_high:.3f})",
        f"{audit.metric} corrected    {audit.corrected:.3f} (Monte Carlo error {audit.corrected_error:.2g})",
        f"response test      p = {audit.response_p:.3g}",
        f"association test   p = {audit.association_p:.3g}",
        f"prediction test    p = {audit.prediction_p:.3g}",
        f"both links         p = {audit.confounding_p:.3g} ({audit.sign})",
        *audit.notes,
    ]
    return "\n".join(lines)
