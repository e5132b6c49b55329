"""Scenarios whose file is not valid: they are left out, and requesting one raises its error."""

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

from permconf.errors import ConfigError


@dataclass(frozen=True)
class Fault:
    """Why a scenario cannot be used, and the group that its file names (a table of that group needs it)."""

    error: ConfigError
    group: str


@contextlib.contextmanager
def collected(faults, path, *names):
    """Keep a fault in this block as that of the scenarios `names` of a file; without `faults` it is raised."""
    try:
        yield
    except ConfigError as error:
        if faults is None:
            raise
        given = re.search(r"^group: *(\w+)", Path(path).read_text(errors="replace"), re.MULTILINE)
        for name in filter(None, names):
            faults.setdefault(name, Fault(error, given[1] if given else "extension"))


class Scenarios(dict):
    """The valid scenarios by name; asking for one with a fault calls `refuse` with its error."""

    def __init__(self, found, faults):
        super().__init__({name: scenario for name, scenario in found.items() if name not in faults})
        self.faults = faults

    def __missing__(self, name):
        if name in self.faults:
            self.refuse(self.faults[name].error)
        raise KeyError(name)

    def refuse(self, error):
        """Raise the error; the workflow puts a function here that ends it with a sentence."""
        raise error
