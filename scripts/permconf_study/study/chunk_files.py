"""The file of a chunk: a row for each data set and metric, with lists of draws if the scenario keeps them.

The columns are those of the table of tests, and a list of draws for each kind of null (`draws.restricted`).
"""

import numpy as np
import pyarrow as pa

DRAWS = "draws."
DRAW_COLUMNS = pa.schema({"dataset": pa.int64(), "metric": pa.string(), "null": pa.string(), "value": pa.float64()})


def chunk_table(tests, draws):
    """One table from the tests of a chunk and its draws in long form (mappings of columns)."""
    return pa.table(dict(tests) | _nested(tests, draws))


def _nested(tests, draws):
    """Draws in long form as one list per row of the tests, for each kind of null."""
    values: dict = {}
    for dataset, metric, null, value in zip(*draws.values(), strict=True):
        values.setdefault((dataset, metric, null), []).append(value)
    pairs = list(zip(tests["dataset"], tests["metric"], strict=True))
    return {
        f"{DRAWS}{null}": pa.array([values.get((*pair, null)) for pair in pairs], pa.list_(pa.float64()))
        for null in dict.fromkeys(null for *_, null in values)
    }


def chunk_tests(chunk):
    """The table of tests in the table of a chunk."""
    return chunk.select([name for name in chunk.column_names if not name.startswith(DRAWS)])


def chunk_draws(chunk):
    """The draws in the table of a chunk, in long form."""
    nulls = {n.removeprefix(DRAWS): chunk[n].to_pylist() for n in chunk.column_names if n.startswith(DRAWS)}
    pairs = zip(chunk["dataset"].to_pylist(), chunk["metric"].to_pylist(), strict=True)
    parts = [(*pair, null, lists[k]) for k, pair in enumerate(pairs) for null, lists in nulls.items() if lists[k]]
    sizes = [len(part[-1]) for part in parts]
    columns = [np.repeat(np.array([part[k] for part in parts], object), sizes) for k in range(3)]
    values = np.concatenate([part[-1] for part in parts]) if parts else np.empty(0)
    return pa.table([*columns, values], schema=DRAW_COLUMNS)
