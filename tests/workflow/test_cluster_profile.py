"""A run that is meant for a cluster does not run here by mistake."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_a_profile_that_snakemake_passes_over_stops_the_run(tmp_path):
    command = [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--directory", tmp_path]
    command += ["--cores", "1", "--workflow-profile", ROOT / "workflow/profiles/slrum", "--", "results/stratified.csv"]
    environment = os.environ | {"PERMCONF_EXECUTOR": "cluster"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "this run is meant for a cluster, but its profile was not used" in done.stdout + done.stderr
    assert not (tmp_path / "results" / "stratified.csv").exists()


def test_a_mistyped_profile_is_refused_in_one_sentence(tmp_path):
    command = [
        sys.executable,
        "-m",
        "permconf.operations.cluster",
        "--profile",
        "workflow/profiles/slrum",
        "--directory",
        tmp_path,
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        "permconf: there is no cluster profile workflow/profiles/slrum:"
        " workflow/profiles/slrum/config.yaml does not exist.\n"
    )
    assert list(tmp_path.iterdir()) == []
