"""A run that is meant for a cluster does not run here by mistake."""

import subprocess
import sys


def test_a_mistyped_profile_is_refused_in_one_sentence(tmp_path):
    command = [sys.executable, "-m", "permconf", "cluster", "--profile", "workflow/profiles/slrum"]
    done = subprocess.run([*command, "--directory", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "permconf: no cluster profile workflow/profiles/slrum: workflow/profiles/slrum/config.yaml does not exist\n"
    )
    assert list(tmp_path.iterdir()) == []
