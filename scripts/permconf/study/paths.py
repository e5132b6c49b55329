"""Where the files of the project are."""

from pathlib import Path

HOME = Path(__file__).parents[3]  # the repository: Snakefile, config.yaml, workflow/


def located(path):
    """A path from config.yaml: relative to the working directory if it exists there, else to the repository."""
    path = Path(path)
    return path.resolve() if path.exists() else HOME / path
