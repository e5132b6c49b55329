from permconf import warm_up
from permconf.confounder_tests import _inner_keys
from permconf.learners import logistic_kernel
from permconf.metrics import auc
from permconf.shuffles import _shuffle_binary, _shuffle_values


def test_the_kernels_of_a_study_are_compiled():
    warm_up.main()
    for kernel in (
        logistic_kernel.fit,
        logistic_kernel.linear_predictor,
        auc._auc_columns,
        _shuffle_binary,
        _shuffle_values,
        _inner_keys,
    ):
        assert kernel.signatures
