"""Run a workflow script's `main` as Snakemake would, without Snakemake."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

from permconf_study.study.fingerprints import fingerprint

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
        lists = [value if isinstance(value, list) else [value] for value in named.values()]
        super().__init__(map(str, [*positional, *(one for of in lists for one in of)]))
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


@pytest.fixture(scope="session")
def parts_of(run):
    """The parts of a scenario from their scripts: its design, the data sets of chunks, and their tests."""

    def make(scenario, folder, *chunks, seed=3, nulls=True):
        params = {"data": {"stream": scenario["stream"], **scenario["data"]}, "analysis": scenario, "seed": seed}
        at = {"scenario": scenario["name"], "block": "000"}
        design = run("design", wildcards=at, params=params, output={"design": folder / "design/000.csv"}).design
        made = SimpleNamespace(design=design, datasets=[], chunks=[], params=params)
        for chunk in chunks:
            about = {"wildcards": at | {"chunk": chunk}, "params": params}
            output = {"datasets": folder / f"datasets/{chunk}.npz"}
            made.datasets.append(run("simulate", input={"design": design}, output=output, **about).datasets)
            output = {"chunk": folder / f"chunks/{fingerprint('permutation_nulls', [])}/{chunk}.parquet"}
            if nulls:
                tested = run("permutation_nulls", input={"datasets": made.datasets[-1]}, output=output, **about)
                made.chunks.append(tested.chunk)
        return made

    return make


@pytest.fixture(scope="session")
def tables_of(run):
    """The tables of a scenario, made from its parts."""

    def make(scenario, parts, folder, *, datasets=4, max_failed=0.0):
        names = ("design.csv", "tests.parquet", "draws.parquet", "curves.csv")
        return run(
            "aggregate",
            wildcards={"scenario": scenario["name"]},
            params={"datasets": datasets, "alpha_steps": 20, "max_failed": max_failed},
            input={"design": [parts.design], "chunks": parts.chunks},
            output={Path(name).stem: folder / name for name in names},
        )

    return make
