import subprocess
import sys

import pytest

CALL = "import numpy as np, permconf; permconf.standard_shuffle(np.arange(4) % 2, 2, rng=np.random.default_rng(0))"


def _stderr(folder):
    done = subprocess.run(
        [sys.executable, "-c", CALL],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "", "NUMBA_CACHE_DIR": str(folder)},
    )
    return done.stderr


@pytest.mark.slow
def test_compiling_is_announced_once_per_machine(tmp_path):
    first, second = _stderr(tmp_path), _stderr(tmp_path)
    assert first == "permconf compiles its kernels for this kind of machine, once; this can take a minute.\n"
    assert second == ""
