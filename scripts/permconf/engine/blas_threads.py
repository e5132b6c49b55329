"""One thread for linear algebra: many small products run slower, not faster, where their threads compete for cores."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context in which linear algebra has one thread."""
    before = [(library, library.get_num_threads()) for library in _libraries()]
    for library, _ in before:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, threads in before:
            library.set_num_threads(threads)


@cache
def _libraries() -> list[Any]:
    """Looking for the libraries takes milliseconds, so that it is done once."""
    return ThreadpoolController().select(user_api="blas").lib_controllers
