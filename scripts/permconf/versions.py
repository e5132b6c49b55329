"""Versions of what computed a result: Python, packages, and the processor as the compiler of the kernels sees it."""

import contextlib
import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "pandas", "pyarrow", "matplotlib", "snakemake")


def versions():
    """Versions of Python and of the installed packages, by name."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def processor():
    """The type of the processor, such as `x86_64 skylake-avx512`."""
    from llvmlite.binding import get_host_cpu_name

    return f"{platform.machine()} {get_host_cpu_name()}"


def show_versions() -> None:
    """Print the versions of permconf and of what it depends on, for a bug report.

    >>> from permconf import show_versions
    >>> show_versions()
    permconf ...
    Python ...
    """
    for name, number in {"permconf": version("permconf"), **versions(), "system": platform.platform()}.items():
        print(f"{name:<15} {number}")
