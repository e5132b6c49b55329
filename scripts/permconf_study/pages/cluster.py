"""docs/CLUSTER.md: what runs of up to 100,000 data sets need besides the computation itself, measured on this machine.

One chunk is computed; copies with other numbers stand for the others. `-m permconf_study.pages.cluster FOLDER` combines
them in a process of its own, which imports no more than a step does.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import yaml

from permconf_study.markdown import table
from permconf_study.study.paths import HOME

SIZES = (1_000, 10_000, 100_000)
CHUNK = 100
PARAMETERS = {"n": 100, "features": 3, "beta": 0.5, "theta": 0.5, "rho": 0.5}
CELLS = {"p11": 0.4, "p10": 0.1, "p01": 0.1, "p00": 0.4}
LARGE = {
    "title": "small data sets",
    "data": {"generator": "bernoulli_gaussian", "parameters": PARAMETERS | CELLS, "datasets": 1_000},
    "learner": "logistic",
    "metrics": ["auc"],
    "permutations": 20,
    "chunk": CHUNK,
}
HEADINGS = ("data sets", "chunks", "files", "their size", "dry run", "its memory", "aggregation", "its memory")


def parts(_results: Path, _page: Path) -> dict[str, str | None]:
    """The only part: a row for each number of data sets."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "large.yaml").write_text(yaml.safe_dump(LARGE))
        dry = [_workflow(folder, datasets, "--dry-run", "--", "results/large/curves.csv") for datasets in SIZES]
        files, size = _per_chunk(folder)
        rows = []
        for datasets, (_, *planned) in zip(SIZES, dry, strict=True):
            chunks = datasets // CHUNK
            _copy_chunks(folder, datasets)
            seconds, memory = map(float, _measured([sys.executable, "-m", __name__, name])[0].split())
            times = (f"{planned[0]:.1f} s", f"{planned[1]:.0f} MB", f"{seconds:.1f} s", f"{memory:.0f} MB")
            rows.append(
                (f"{datasets:,}", f"{chunks:,}", f"{files * chunks:,}", f"{size * chunks / 1e6:.0f} MB", *times)
            )
    return {"scale": table(HEADINGS, rows)}


def _measured(command):
    """What a command says, its processor time and its peak memory (MB)."""
    with tempfile.TemporaryFile("w+") as log:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process:
            said = process.stdout.read()  # type: ignore[union-attr]
            _, process.returncode, used = os.wait4(process.pid, 0)
        log.seek(0)
        if process.returncode:
            raise RuntimeError(f"failed: {' '.join(command)}\n{log.read()[-2000:]}")
    return said, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def _settings(folder, datasets):
    return [f"scenario_dir={folder}", f"datasets={datasets}"]


def _steps(folder, datasets):
    from permconf_study.study.steps import configured_steps

    return configured_steps(_settings(folder, datasets))


def _workflow(folder, datasets, *arguments):
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(HOME / "Snakefile"), "--directory", str(folder)]
    return _measured([*command, "--quiet", "--cores", "1", "--config", *_settings(folder, datasets), *arguments])


def _per_chunk(folder):
    """Number of files, and their bytes, that one more chunk adds, Snakemake's own among them."""
    counted = []
    for path in _steps(folder, SIZES[0]).files_of("large", "chunks")[:2]:
        _workflow(folder, SIZES[0], "--", path)
        files = [path for path in folder.rglob("*") if path.is_file()]
        counted.append((len(files), sum(path.stat().st_size for path in files)))
    return [after - before for before, after in zip(*counted, strict=True)]


def _copy_chunks(folder, datasets):
    """All chunks, as copies of the first, and all blocks of the design."""
    from pyarrow import compute, parquet

    from permconf.permute.random_streams import Streams
    from permconf_study.study.chunks import chunk_range
    from permconf_study.study.design import design_block
    from permconf_study.study.tables import write_table

    steps = _steps(folder, datasets)
    design, chunks = ([folder / path for path in steps.files_of("large", kind)] for kind in ("design", "chunks"))
    first = parquet.read_table(chunks[0])
    for path in (path for path in chunks if not path.exists()):
        numbers = compute.add(first["dataset"], chunk_range(path.stem).start)
        parquet.write_table(first.set_column(first.column_names.index("dataset"), "dataset", numbers), path)
    data = steps.data(SimpleNamespace(scenario="large"))
    for block, path in enumerate(design):
        if not path.exists():
            write_table(design_block(data, block, Streams(1, "large", block)), path)


def combine(folder):
    """Seconds of processor time and peak memory (MB) of the aggregation of all chunks in a folder."""
    from permconf_study.study.aggregation import aggregate
    from permconf_study.study.rejection_rates import alpha_grid

    design, chunks = (sorted(folder.glob(f"results/large/{kind}/*/*")) for kind in ("design", "chunks"))
    output = {name: folder / f"{name}.parquet" for name in ("design", "tests", "draws", "curves")}
    settings = {"datasets": len(chunks) * CHUNK, "alphas": alpha_grid(200), "max_failed": 0.05}
    start = time.process_time()
    aggregate(design, chunks, SimpleNamespace(**output), **settings)
    peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return time.process_time() - start, int(peak.split()[1]) / 1024


if __name__ == "__main__":
    print(*combine(Path(sys.argv[1])))
