from permconf.adjustments.resampling import drawn_counts
from permconf.inference.confounder_tests import _inner_keys
from permconf.learners import logistic_kernel, newton_kernel
from permconf.metrics import auc
from permconf.permute.conditional import _swap_binary, random_pairs
from permconf.permute.kept_fit import swap_near
from permconf.permute.shuffles import _shuffle_binary, _shuffle_values
from permconf.reweight.bootstrap import drawn_units
from permconf_study.commands.compile_kernels import compile_kernels


def test_the_kernels_of_a_study_are_compiled():
    compile_kernels()
    for kernel in (
        logistic_kernel.fit,
        logistic_kernel.linear_predictors,
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
