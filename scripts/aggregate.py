"""Combine the chunks of a scenario and compute its rejection rates."""

from permconf.study.rejection_rates import alpha_grid, scenario_curves
from permconf.study.tables import concatenate, logged, write_table


def main(smk):
    with logged(smk.log[0], f"tables of {smk.wildcards.scenario}") as log:
        tests = concatenate(smk.input.tests)
        check_failures(tests, smk.wildcards.scenario, smk.params.max_failed, log)
        write_table(concatenate(smk.input.design).slice(0, smk.params.datasets), smk.output.design)
        write_table(concatenate(smk.input.draws), smk.output.draws)
        write_table(tests, smk.output.tests)
        write_table(scenario_curves(tests, alpha_grid(smk.params.alpha_steps)), smk.output.curves)


def check_failures(tests, scenario, max_failed, log):
    """Stop with the first failed data set and its error if more than a share `max_failed` failed."""
    errors = dict(zip(tests["dataset"].to_pylist(), tests["error"].to_pylist(), strict=True))
    failed = {dataset: error for dataset, error in errors.items() if error}
    log.info("%d of %d data sets failed", len(failed), len(errors))
    if len(failed) > max_failed * len(errors):
        dataset, error = next(iter(failed.items()))
        raise SystemExit(
            f"{scenario}: {len(failed)} of {len(errors)} data sets failed, more than max_failed = {max_failed};"
            f" the first is data set {dataset}: {error} (permconf replay {scenario} {dataset})"
        )


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
