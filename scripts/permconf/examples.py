"""A small table to try things on."""

import numpy as np
import pandas as pd

from permconf.keywords import helpful


@helpful
def example(rows: int = 200, *, seed: int = 0) -> pd.DataFrame:
    """Simulated patients of two sites, for examples: a model of `ill` that uses `marker` and `volume` reads the site.

    ill         more frequent at site 1 (about 8 of 10 patients) than at site 0 (2 of 10)
    site, age   confounders: both are associated with ill, but only the site acts on the features
    marker, volume     features: both vary with ill and with the site

    >>> import permconf
    >>> table = permconf.example()
    >>> list(table), len(table)
    (['marker', 'volume', 'site', 'age', 'ill'], 200)
    >>> permconf.audit(table, response="ill", confounders=["site", "age"], permutations=99).sign
    'inflates'
    """
    rng = np.random.default_rng(seed)
    site = rng.integers(0, 2, rows)
    ill = (0.6 * site + rng.uniform(size=rows) > 0.8).astype(int)
    marker, volume = rng.normal(ill + site, size=(2, rows))
    age = rng.normal(50 + 8 * ill, 10).round()
    return pd.DataFrame({"marker": marker, "volume": volume, "site": site, "age": age, "ill": ill})
