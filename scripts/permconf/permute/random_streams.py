"""Named random streams: the stream depends on what a number is drawn for, never on when or where it is drawn."""

from dataclasses import dataclass
from functools import cache, partial
from hashlib import blake2b

import numpy as np

from permconf.options import whole_number


@cache
def name_code(name):
    """A fixed 64-bit number for a name."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True)
class Streams:
    """The random streams of one data set (or design block) of one scenario."""

    root: int
    scenario: str = ""
    dataset: int = 0

    def __post_init__(self):
        object.__setattr__(self, "root", whole_number(self.root, "seed", least=0))

    def rng(self, purpose):
        """Generator for one purpose, e.g. "data" or "restricted/train"."""
        return np.random.Generator(self._bits(purpose))

    def keys(self, purpose, b):
        """One 64-bit key per permutation; the first keys do not depend on b."""
        return _keys(self._bits(purpose).random_raw, b)  # as `permutation_keys` of `rng`, in half the time

    def _bits(self, purpose):
        key = (name_code(self.scenario), name_code(purpose), self.dataset)
        return np.random.PCG64(np.random.SeedSequence(self.root, spawn_key=key))


Rng = np.random.Generator | int | None


def generator(rng: Rng) -> np.random.Generator:
    """A random generator, from one (which moves on), a whole number, or None for another one each time."""
    if not isinstance(rng, np.random.Generator | int | np.integer | None) or isinstance(rng, bool):
        raise TypeError(f"rng must be a whole number, a random generator or None, not {type(rng).__name__}")
    if not isinstance(rng, np.random.Generator | None):
        whole_number(rng, "rng", least=0)
    return np.random.default_rng(rng)


def permutation_keys(rng, b):
    """Draw b keys for the compiled kernels (see `permconf.permute.random_bits`)."""
    return _keys(partial(generator(rng).integers, 0, 2**64, dtype=np.uint64), b)


def _keys(drawn, b):
    b = whole_number(b, "b", least=0)
    try:
        return drawn(size=b)
    except (ValueError, OverflowError, MemoryError) as error:
        raise ValueError(f"{b} permutations are more than memory can hold; ask for fewer") from error
