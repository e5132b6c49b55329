"""One thread for linear algebra: many small products run slower, not faster, where their threads compete for cores."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which linear algebra has one thread."""
    return _controller().limit(limits=1, user_api="blas")


@cache
def _controller():
    """Looking for the libraries takes milliseconds, so that it is done once."""
    return ThreadpoolController()
