"""The parts of a study: blocks of the design, and chunks of data sets (one job each)."""

BLOCK = 1000


def blocks(datasets):
    """Names of the design blocks for `datasets` data sets."""
    return [f"{start // BLOCK:03d}" for start in range(0, datasets, BLOCK)]


def chunks(datasets, size):
    """Names like "00250-00499" (first and last data set) of chunks of `size` data sets; none crosses a block."""
    names = []
    for block in range(0, datasets, BLOCK):
        end = min(block + BLOCK, datasets)
        names += [f"{start:05d}-{min(start + size, end) - 1:05d}" for start in range(block, end, size)]
    return names


def chunk_range(name):
    """The data sets of a chunk."""
    first, last = (int(part) for part in name.split("-"))
    return range(first, last + 1)


def block_of(chunk):
    """Name of the design block that contains a chunk."""
    return f"{chunk_range(chunk).start // BLOCK:03d}"
