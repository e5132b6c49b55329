"""Metadata for readers and machines: valid by their schemas, one version, and a manifest of what `make` makes.

The citation and the CI file are checked by the official schemas that check-jsonschema ships. CODECHECK and the workflow
catalogue publish none: `workflow/schemas` has the rules of their documentation as schemas of ours.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import permconf

ROOT = Path(__file__).parents[1]
SCHEMAS = ROOT / "workflow/schemas"
CHECKED = {
    "CITATION.cff": ["--builtin-schema", "vendor.citation-file-format"],
    ".github/workflows/ci.yml": ["--builtin-schema", "vendor.github-workflows"],
    "codecheck.yml": ["--schemafile", SCHEMAS / "codecheck.schema.yaml"],
    ".snakemake-workflow-catalog.yml": ["--schemafile", SCHEMAS / "catalogue.schema.yaml"],
}


def checked(schema, path):
    command = [sys.executable, "-m", "check_jsonschema", *map(str, schema), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", CHECKED)
def test_a_file_meets_its_schema(name):
    done = checked(CHECKED[name], ROOT / name)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "pattern", "by"),
    [
        ("CITATION.cff", r"type: software", "type: programme"),
        ("codecheck.yml", r"  - file: results/claims.csv", "  - file: /results/claims.csv"),
        (".snakemake-workflow-catalog.yml", r"conda: true", "conda: perhaps"),
    ],
)
def test_a_mistake_is_found(tmp_path, name, pattern, by):
    path = tmp_path / name
    path.write_text(re.sub(pattern, by, (ROOT / name).read_text(), count=1))
    assert checked(CHECKED[name], path).returncode == 1


def test_codecheck_begins_as_an_explicit_document_without_placeholders():
    text = (ROOT / "codecheck.yml").read_text()
    assert text.startswith("---\n")
    assert not re.search("FIXME|TODO|XXXX", text)


def test_the_manifest_lists_what_make_makes():
    files = [entry["file"] for entry in yaml.safe_load((ROOT / "codecheck.yml").read_text())["manifest"]]
    figures = yaml.safe_load((ROOT / "workflow/figures.yaml").read_text())
    drawn = {f"figures/{name}.pdf" for name, entry in figures.items() if entry["group"] == "paper"}
    assert {name for name in files if name.endswith(".pdf")} == drawn
    assert {"results/claims.csv", "results/report.html", "figures/table1_parameters.csv"} <= set(files)
    reference = (ROOT / "workflow/reference.json").read_text()
    tables = [name for name in files if name.endswith((".csv", ".parquet"))]
    assert [name for name in tables if f'"table": "{name}"' not in reference] == []
    assert len(files) == len(set(files))


def test_there_is_one_version():
    """The package has it; only the citation repeats it, since readers of that file run no code."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == permconf.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", permconf.__version__)
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()


def test_the_citation_names_the_software_and_the_paper():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    paper = yaml.safe_load((ROOT / "codecheck.yml").read_text())["paper"]
    assert citation["type"] == "software"
    assert citation["preferred-citation"]["title"] == paper["title"]
    assert citation["references"] == [citation["preferred-citation"]]
    assert citation["preferred-citation"]["url"] == paper["reference"]


def test_public_ci_runs_the_script_on_three_pythons():
    job = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["test"]
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands[0] == ".ci/run"
    assert "make smoke" in commands


def test_commits_are_checked_by_the_linters_of_ci():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    lint = (ROOT / "Makefile").read_text().partition("\nlint:")[2].partition("\n\n")[0]
    for tool in ("ruff check", "ruff format", "mypy", "snakefmt"):
        assert tool in lint
        assert any(hook["entry"].startswith(f".venv/bin/{tool}") for hook in hooks), tool
