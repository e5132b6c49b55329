"""Where the files of the project are."""

from pathlib import Path

HOME = Path(__file__).parents[3]  # the repository: Snakefile, config.yaml, workflow/


def located(path):
    """A path from config.yaml: as given if it exists there (from the working directory), else within the repository."""
    path = Path(path)
    return path.resolve() if path.exists() else HOME / path
