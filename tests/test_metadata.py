"""Metadata for readers and machines: valid by their schemas, one version, and a manifest of what `make` makes.

The citation and the CI file are checked by the official schemas that check-jsonschema ships. CODECHECK and the workflow
catalogue publish none: `workflow/schemas` has the rules of their documentation as schemas of ours.
"""

import re
import subprocess
import sys
import tomllib
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


def test_authors_and_keywords_are_those_of_the_citation():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert [one["name"] for one in project["authors"]] == [one["name"] for one in citation["authors"]]
    assert project["keywords"] == citation["keywords"]
    tested = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["test"]["strategy"]["matrix"][
        "python"
    ]
    promised = [one.rpartition(" ")[2] for one in project["classifiers"] if "Python :: 3." in one]
    assert promised == tested
    assert f"Python {tested[0]} to {tested[-1]}" in (ROOT / "README.md").read_text()


def test_actions_are_pinned_by_hash():
    used = re.findall(r"uses: (\S+)", (ROOT / ".github/workflows/ci.yml").read_text())
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", one) for one in used)


def test_there_is_one_version():
    """The package has it; only the citation repeats it, since readers of that file run no code."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == permconf.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", permconf.__version__)
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text()
