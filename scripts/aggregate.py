"""Put a scenario's chunks together and compute its rejection rates."""

from permconf.curves import alpha_grid, scenario_curves
from permconf.workflow_io import concatenate, logged, write_table


def main(smk):
    with logged(smk.log[0], f"tables of {smk.wildcards.scenario}") as log:
        tests = concatenate(smk.input.tests)
        failed = tests["status"].to_pylist().count("failed")
        log.info("%d of %d rows failed", failed, tests.num_rows)
        if failed > smk.params.max_failed * tests.num_rows:
            first = next(error for error in tests["error"].to_pylist() if error)
            raise SystemExit(
                f"{smk.wildcards.scenario}: {failed} of {tests.num_rows} data sets failed, more than max_failed ="
                f" {smk.params.max_failed}; the first error was: {first.strip().splitlines()[-1]}"
            )
        write_table(concatenate(smk.input.design).slice(0, smk.params.datasets), smk.output.design)
        write_table(concatenate(smk.input.draws), smk.output.draws)
        write_table(tests, smk.output.tests)
        write_table(scenario_curves(tests, alpha_grid(smk.params.alpha_steps)), smk.output.curves)


if "snakemake" in globals():
    main(snakemake)  # noqa: F821
