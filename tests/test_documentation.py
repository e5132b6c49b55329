"""The guide to scenarios names every key of the schema and every shipped extension, and its examples run."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from permconf_study.paper.claims.catalogue import claim_tables, load_claims
from permconf_study.paper.claims.checks import CHECKS
from permconf_study.study.configuration import checked_settings, claims_file, scenarios_of

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def guide(request):
    return (request.config.rootpath / "docs/SCENARIOS.md").read_text()


@pytest.fixture(scope="module")
def schema(request):
    return yaml.safe_load((request.config.rootpath / "workflow/schemas/scenario.schema.yaml").read_text())


def test_every_key_has_a_row(guide, schema):
    section = guide.partition("## Keys")[2].partition("## ")[0]
    rows = re.findall(r"^\| `([a-z][\w.]*)` \|", section, re.MULTILINE)
    expected = [*schema["properties"], *(f"data.{key}" for key in schema["properties"]["data"]["properties"])]
    assert sorted(rows) == sorted(expected)


BLOCK = re.compile(r"```(?:yaml|python)\n# ([\w/.]+)(?:: [^\n]*)?\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def examples(guide, tmp_path_factory):
    """The folder in which the guide's examples were written: every block that begins with the name of a file."""
    folder = tmp_path_factory.mktemp("guide")
    files = dict(BLOCK.findall(guide))
    assert len(files) == len(re.findall(r"^```(?:yaml|python)$", guide, re.MULTILINE)) - 1  # but for a Snakefile
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    rng, patient = np.random.default_rng(1), np.arange(60)
    table = pd.DataFrame(rng.standard_normal((60, 3)), columns=["s1", "s2", "s3"]).assign(patient=patient)
    table = table.assign(hypertension=patient % 2, sex=patient % 3 % 2, age=rng.uniform(20, 80, 60))
    table.to_csv(folder / "my.csv", index=False)
    shutil.copytree(ROOT / "workflow/scenarios/paper", folder / "workflow/scenarios/paper")
    return folder


def permconf(folder, *arguments):
    """What a command prints in a folder of examples."""
    done = subprocess.run([sys.executable, "-m", "permconf", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_example_of_a_scenario_is_valid(examples, monkeypatch):
    monkeypatch.chdir(examples)
    settings = {"scenario_dir": str(examples / "workflow/scenarios"), "plugins": str(examples / "plugins")}
    found = scenarios_of(checked_settings({"seed": 1} | settings))
    assert not found.faults
    assert {"exp1_svm", "serum", "hospitals_logistic_100_0", "hospitals_random_forest_400_0p5"} <= set(found)
    assert len([name for name in found if name.startswith("hospitals")]) == 12
    claims = load_claims(claims_file("hospitals", found))
    assert all(claim["check"]["kind"] in CHECKS for claim in claims)
    assert {path.split("/")[1] for path in claim_tables(claims)} <= {"hospitals", *found}


@pytest.mark.parametrize("plugin", ["generators/sites.py", "metrics/kappa.py"])
def test_every_example_of_a_plugin_keeps_its_contract(examples, plugin):
    assert "passed" in permconf(examples, "check", f"plugins/{plugin}")


@pytest.mark.slow
def test_the_complete_example_runs(examples):
    """With few data sets, one learner and one size."""
    study = examples / "workflow/scenarios/hospitals.yaml"
    small = study.read_text().replace("[100, 200, 400]", "[400]").replace(", {name: random_forest, trees: 100}", "")
    study.write_text(small.replace("datasets: 200", "datasets: 6"))
    study.with_suffix(".claims.yaml").unlink()
    config = [f"scenario_dir={study.parent}", f"plugins={examples / 'plugins'}", "datasets=6"]
    permconf(examples, "run", "hospitals", "--cores", "1", "--config", *config)
    said = permconf(examples, "summary", "hospitals", "--by", "learner", "n", "beta", "--config", *config)
    assert "| logistic | 400 | 0.5 | kappa | 6 (0 failed) |" in said
    assert "| logistic | 400 | 0.5 | kappa | reweighted | as_trained | 6 (0 undefined) |" in said
    assert re.search(r"\| 400 \| 0 \| kappa \| reweighted \| as_trained \| [0-5] \([1-6] undefined\) \|", said)
    assert "bootstrap samples do not differ, as where one class is predicted throughout" in said
    assert (examples / "figures/studies/hospitals.pdf").exists()
