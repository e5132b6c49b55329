"""The table of figure S2: every cell, and the verdicts of the theory."""

import numpy as np
import pandas as pd

from permconf_study.paper.tables.theorems import theorem_decay, theorem_table


def test_theorem_table_has_every_cell_and_the_verdicts_are_those_of_the_theory():
    table = theorem_table(rng=np.random.default_rng(8), sizes=(50, 100, 200), replicates=8)
    assert len(table) == (1 + 2) * 2 * 3 * 8 * 6
    np.testing.assert_allclose(table["discrepancy"], table["permutation"] - table["conventional"], atol=1e-15)
    decay = theorem_decay(table)
    cell = ["confounder", "coding", "theorem", "estimator"]
    exact = decay[decay["verdict"] == "exact"][cell].drop_duplicates()
    assert set(exact.itertuples(index=False, name=None)) == {
        ("binary", "numeric", 1, ""),
        ("binary", "numeric", 2, "U"),
        ("three levels", "dummy", 1, ""),
    }
    assert decay["slope"].isna().equals(decay["verdict"] == "exact")  # the slope of rounding is no result
    classical = decay.query("confounder == 'binary' and estimator == 'V'")
    assert (classical["verdict"] == "vanishing").all()
    assert classical["slope"].between(-1.2, -0.8).all()
    curved = decay.query("coding == 'numeric' and theorem == 1 and effect == 'nonlinear' and confounder != 'binary'")
    assert len(curved) == 2
    assert (curved["verdict"] == "not vanishing").all()
    assert (decay.query("coding == 'dummy' and estimator == 'U'")["verdict"] == "not vanishing").all()


def test_theorem_table_depends_on_the_generator_only_and_grows_without_changing():
    few = theorem_table(rng=np.random.default_rng(2), sizes=(20, 30), replicates=2)
    more = theorem_table(rng=np.random.default_rng(2), sizes=(20, 30, 40), replicates=3)
    kept = more[(more["n"] < 40) & (more["replicate"] < 2)].reset_index(drop=True)
    pd.testing.assert_frame_equal(few, kept)
