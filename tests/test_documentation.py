"""The guide to scenarios names every key of the schema and every shipped extension."""

import re

import pytest
import yaml

from permconf_study.study.parameters import DERIVATIONS, SPREADS


@pytest.fixture(scope="module")
def guide(request):
    return (request.config.rootpath / "docs/SCENARIOS.md").read_text()


@pytest.fixture(scope="module")
def schema(request):
    return yaml.safe_load((request.config.rootpath / "workflow/schemas/scenario.schema.yaml").read_text())


def test_every_key_has_a_row(guide, schema):
    section = guide.partition("### Keys")[2].partition("### ")[0]
    rows = re.findall(r"^\| `([a-z][\w.]*)` \|", section, re.MULTILINE)
    expected = [*schema["properties"], *(f"data.{key}" for key in schema["properties"]["data"]["properties"])]
    assert sorted(rows) == sorted(expected)


def test_every_kind_of_parameter_is_explained(guide):
    for kind in (*SPREADS, *DERIVATIONS):
        assert f"{{{kind}: " in guide


def test_every_shipped_extension_has_a_place(guide, scenarios):
    shipped = {name for name, scenario in scenarios.items() if scenario["group"] == "extension"}
    headings = " ".join(re.findall(r"^### .*$", guide, re.MULTILINE))
    named = [re.sub(r"\d+", r"\\d+", name).replace("*", r"\w+") for name in re.findall(r"`([\w*]+)`", headings)]
    for name in sorted(shipped):
        assert any(re.fullmatch(pattern, name) for pattern in named), f"docs/SCENARIOS.md has no heading for {name}"
