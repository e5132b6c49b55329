"""One line on stderr when kernels have to be compiled, which takes up to a minute and happens once per kind of machine.

numba keeps compiled kernels beside their source, apart for every type of processor, so a home directory that different
machines share holds them all.
"""

import sys

from numba.core import event

MESSAGE = "permconf compiles its kernels for this kind of machine, once; this can take a minute."


class Announcement(event.Listener):
    """Writes MESSAGE when the first kernel of this package is compiled, i.e. was not found in numba's cache.

    With `dots`, it writes a dot for every kernel instead.
    """

    def __init__(self):
        self.made = self.dots = False

    def on_start(self, happening):
        """A function is about to be compiled."""
        if not happening.data["dispatcher"].py_func.__module__.startswith("permconf."):
            return
        if self.dots:
            print(".", end="", file=sys.stderr, flush=True)
        elif not self.made:
            self.made = True
            print(MESSAGE, file=sys.stderr, flush=True)

    def on_end(self, happening):
        """It was compiled."""


ANNOUNCEMENT = Announcement()
event.register("numba:compile", ANNOUNCEMENT)
