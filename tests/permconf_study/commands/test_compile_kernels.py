import os

from permconf.adjustments.resampling import drawn_counts
from permconf.inference.confounder_tests import _inner_keys
from permconf.learners import _products, logistic_kernel, newton_kernel
from permconf.metrics import auc
from permconf.permute.conditional import _swap_binary, random_pairs
from permconf.permute.kept_fit import swap_near
from permconf.permute.shuffles import _shuffle_binary, _shuffle_values
from permconf.reweight.bootstrap import drawn_units
from permconf_study.commands import compile_kernels


def test_the_kernels_of_a_study_are_compiled():
    compile_kernels._fits_and_permutations()
    compile_kernels._apart()
    for kernel in (
        logistic_kernel.fit,
        _products._blockwise,
        auc._auc_columns,
        auc._weighted_auc,
        drawn_units,
        _shuffle_binary,
        _shuffle_values,
        _inner_keys,
        _swap_binary,
        random_pairs,
        swap_near,
        newton_kernel.newton_fit,
        drawn_counts,
    ):
        assert kernel.signatures


def test_kernels_are_compiled_anew_after_an_edit_of_any(tmp_path, monkeypatch):
    """Numba looks at the file of a kernel only, not at what it calls."""
    monkeypatch.setattr(compile_kernels, "_SCRIPTS", tmp_path)
    kernel, other, cached = (tmp_path / name for name in ("a.py", "b.py", "__pycache__/a.nbi"))
    cached.parent.mkdir()
    for seconds, path in enumerate((kernel, cached, other)):
        path.write_text("import numba" if path == kernel else "")
        os.utime(path, (1e9 + seconds, 1e9 + seconds))
    compile_kernels._remove_outdated()
    assert cached.exists(), "a module without kernels does not count"
    other.write_text("from numba import njit")
    compile_kernels._remove_outdated()
    assert not cached.exists()
