"""Measure what other choices would change, and write the tables into docs/DEVIATIONS.md (make deviations)."""

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from permconf.paper.tables import deviations_experiments as experiments
from permconf.paper.tables import deviations_figures as figures
from permconf.study.scenario import load_scenarios
from permconf.study.schema import read_yaml

HOME = Path(__file__).parents[3]
REGISTER = HOME / "docs" / "DEVIATIONS.md"
BEGIN, END = "<!-- measured by make deviations -->", "<!-- end -->"


def measured(cores):
    """Both tables as Markdown."""
    config = read_yaml(HOME / "config.yaml")
    scenarios, seed = load_scenarios(HOME / "workflow/scenarios", {}), config["seed"]
    with ProcessPoolExecutor(cores) as pool:
        singles = [
            *figures.illustration(scenarios["fig03"], seed),
            *figures.truncation(scenarios["fig04"], seed),
            *figures.regression_effects(scenarios["fig05"], seed),
            *figures.unpenalised(scenarios["fig06"], seed),
            *figures.section4(scenarios["section4_development"], scenarios["section4_baseline"], seed),
        ]
        study = experiments.variants(scenarios, seed, pool)
    return f"{table([_formatted(row) for row in study])}\n\n{table(singles)}\n"


def _formatted(row):
    """A row of the study with the four experiments of each quantity in one cell."""
    quantities = {"response": "response test, exp. 1-4", "confounding": "confounding test, exp. 1-4"}
    quantities["corrected"] = "median corrected AUC, exp. 1-4"
    cells = {title: " ".join(f"{row[f'{key} {k}']:.3f}" for k in range(1, 5)) for key, title in quantities.items()}
    return {"choice": row["choice"], "data sets": f"{row['data sets']:,}", **cells}


def table(rows):
    """Rows as a Markdown table."""
    lines = [list(rows[0]), ["---"] * len(rows[0]), *(list(row.values()) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main():
    """Measure, print, and renew the part of the register between its two marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=1)
    text = measured(parser.parse_args().cores)
    print(text)
    head, rest = REGISTER.read_text().split(BEGIN)
    REGISTER.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{rest.split(END)[1]}")
    print(f"Written into {REGISTER}.")


if __name__ == "__main__":
    main()
