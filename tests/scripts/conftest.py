"""Run a workflow script's `main` as Snakemake would, without Snakemake."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


def load_script(name):
    """Import scripts/<name>.py; it must have no side effects."""
    spec = importlib.util.spec_from_file_location(f"script_{name}", SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Files(list):
    """Named and numbered files, like Snakemake's input and output."""

    def __init__(self, *positional, **named):
        super().__init__([*map(str, positional), *(str(p) for p in named.values())])
        self.__dict__.update({k: v if isinstance(v, list) else str(v) for k, v in named.items()})


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """run("design", wildcards=..., params=..., input=..., output=...)"""
    logs = tmp_path_factory.mktemp("logs")

    def call(script, *, wildcards=None, params=None, input=(), output=()):
        smk = SimpleNamespace(
            wildcards=SimpleNamespace(**(wildcards or {})),
            params=SimpleNamespace(recipe={"step": script, "settings": []}, **(params or {})),
            input=Files(**input) if isinstance(input, dict) else Files(*input),
            output=Files(**dict(output)),
            config={},
            log=[str(logs / f"{script}.log")],
        )
        load_script(script).main(smk)
        return smk.output

    return call
