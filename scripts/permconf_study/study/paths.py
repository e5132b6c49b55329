"""Where the files of the project and the plugins of a user are."""

from pathlib import Path

from permconf import registry
from permconf.errors import ConfigError

PLUGINS = "plugins"  # the folder of plugins, unless config.yaml names another
HOME = Path(__file__).parents[3]  # the repository: Snakefile, config.yaml, workflow/


def located(path):
    """A path from config.yaml: relative to the working directory if it exists there, else to the repository."""
    path = Path(path)
    return path.resolve() if path.exists() else HOME / path


def use_plugins(settings):
    """Look for plugins in the folder given in the settings, if any; that of the default need not exist."""
    folder = settings.get("plugins")
    if folder and located(folder).is_dir():
        registry.use_folder(located(folder))
    elif folder not in (None, PLUGINS):
        raise ConfigError(f"config.yaml: plugins is not a folder: {folder}")
