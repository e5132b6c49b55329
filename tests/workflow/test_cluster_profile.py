"""A run that is meant for a cluster does not run here by mistake."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_mistyped_profile_is_refused_in_one_sentence(tmp_path):
    command = [sys.executable, "-m", "permconf", "cluster", "--profile", "workflow/profiles/slrum"]
    done = subprocess.run([*command, "--directory", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "permconf: no cluster profile workflow/profiles/slrum: workflow/profiles/slrum/config.yaml does not exist\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_profile_asks_for_an_efficiency_report():
    from snakemake.cli import get_argument_parser

    options = get_argument_parser(profiles=[str(ROOT / "workflow/profiles/slurm")]).parse_args([])
    assert options.slurm_efficiency_report is True
    assert str(options.slurm_efficiency_report_path) == "results/logs"
