"""Combine the chunks of a scenario and compute its rejection rates."""

from pathlib import Path

from permconf_study.study.aggregation import TooManyFailures, aggregate
from permconf_study.study.part_logs import log, remove_empty_logs, step
from permconf_study.study.rejection_rates import alpha_grid


@step("tables of {w.scenario}")
def main(smk):
    name = smk.wildcards.scenario
    settings = {"datasets": smk.params.datasets, "max_failed": smk.params.max_failed}
    try:
        alphas = alpha_grid(smk.params.alpha_steps)
        failures = aggregate(smk.input.design, smk.input.chunks, smk.output, alphas=alphas, **settings)
    except TooManyFailures as failed:
        raise SystemExit(f"{name}: {failed} (permconf replay {name} {failed.dataset})") from None
    log.info("%d of %d data sets failed", len(failures.errors), failures.datasets)
    remove_empty_logs(Path(smk.log[0]).parents[1], name)
