"""The starter file is valid, runnable, and names every key that a scenario file may have."""

import re
import sys
from types import SimpleNamespace

import pytest
import yaml

from permconf import registry
from permconf.errors import ConfigError
from permconf_study.commands import check, new
from permconf_study.commands.new import write_starter
from permconf_study.commands.targets import GROUPS
from permconf_study.study.scenario import load_scenarios


@pytest.fixture
def starter(tmp_path):
    return write_starter("mine", tmp_path)


def _keys(schema):
    """Names of all properties of a schema, at every depth."""
    if isinstance(schema, dict):
        named = schema.get("properties", {})
        named = named if isinstance(named, dict) else {}
        yield from named
        for value in schema.values():
            yield from _keys(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _keys(value)


def test_it_names_every_key_of_the_schema(starter, request):
    schema = yaml.safe_load((request.config.rootpath / "workflow/schemas/scenario.schema.yaml").read_text())
    keys = set(_keys(schema))
    assert {"title", "shuffles", "share", "one_minus"} - keys == {"one_minus"}
    text = starter.read_text()
    missing = sorted(key for key in keys if not re.search(rf"(^|[\s{{#]){key}:", text))
    assert not missing, f"workflow/starter.yaml does not explain {', '.join(missing)}"


def test_optional_keys_are_valid_when_uncommented(starter):
    lines = starter.read_text().splitlines()
    for key in ("description", "nulls", "permutations", "confounder_tests", "draws"):
        start = lines.index(next(line for line in lines if line.startswith(f"# {key}:")))
        block = [lines[start]]
        for line in lines[start + 1 :]:
            if not line.startswith("#   "):
                break
            block.append(line)
        starter.write_text("\n".join([*lines, *(line[2:] for line in block)]))
        assert key in load_scenarios(starter.parent, {})["mine"]
    for split in (line[2:] for line in lines if line.startswith("# split: ") and "shares" not in line):
        starter.write_text("\n".join([*lines, split]))
        load_scenarios(starter.parent, {})


def test_the_grid_is_valid_when_uncommented(starter):
    lines = starter.read_text().splitlines()
    start = lines.index("# grid:")
    grid = [line[2:] for line in lines[start : start + 6]]
    starter.write_text("\n".join([*lines, "split: first", *grid]))
    scenarios = load_scenarios(starter.parent, {})
    assert len(scenarios) == 16
    one = scenarios["mine_random_forest_small_400_some"]
    assert (one["stream"], one["split"]["train_size"], one["data"]["parameters"]["beta"]) == ("mine_400_some", 50, 0.5)


def test_an_existing_file_is_left_alone(starter):
    starter.write_text("precious")
    with pytest.raises(ConfigError, match=r"mine.yaml already exists and is not overwritten"):
        write_starter("mine", starter.parent)
    assert starter.read_text() == "precious"


def test_the_name_of_a_scenario_or_family_elsewhere_is_refused(starter):
    (starter.parent / "one").mkdir()
    text = starter.read_text() + '\ngrid: {permutations: [50, 60]}\nname: "p{permutations}"\n'
    starter.rename(starter.parent / "one/family.yaml").write_text(text)
    for name in ("family", "p50"):
        with pytest.raises(ConfigError, match=rf"the name '{name}' is already used in .*one/family.yaml"):
            write_starter(name, starter.parent)


@pytest.mark.parametrize("name", ["my study", "../x", "1st", "", "logs", "a.b", "x\n", *GROUPS])
def test_names_that_cannot_be_paths_are_refused(tmp_path, name):
    with pytest.raises(ConfigError, match="a scenario's name is made of letters, digits, _ and -"):
        write_starter(name, tmp_path)
    assert not list(tmp_path.iterdir())


BROKEN = {
    "generators": (
        "rng.standard_normal((c.size, 5))",
        "np.random.standard_normal((c.size, 5))",
        "draws from its stream",
    ),
    "metrics": (
        "_kappa(y[:, None], scores[:, None], weights)",
        "_kappa(y[:, None], scores[:, None], weights**2)",
        "weights",
    ),
    "learners": ("means = [", "X_train -= 1; means = [", "arguments are left alone"),
    "figures": ("return drawing", "return None", "where a matplotlib Figure is needed"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["generators", "metrics", "learners", "adjustments", "figures"])
def test_a_plugin_passes_its_contract_and_a_mistake_in_it_is_found(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(registry, "_folders", list(registry._folders))
    path = new.write_plugin(kind, f"mine_{tmp_path.name}", tmp_path)
    assert check.main(SimpleNamespace(file=str(path))) == 0
    with pytest.raises(ConfigError, match="already"):
        new.write_plugin(kind, path.stem, tmp_path)
    if kind in BROKEN:
        right, wrong, sentence = BROKEN[kind]
        assert right in path.read_text()
        path.write_text(path.read_text().replace(right, wrong))
        registry.load.cache_clear()
        assert check.main(SimpleNamespace(file=str(path))) == 1
        assert sentence in capsys.readouterr().out


def test_helpers_beside_a_plugin_can_be_imported(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "_folders", list(registry._folders))
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics/_beside_it.py").write_text("VALUE = 3\n")
    (tmp_path / "metrics/with_helper.py").write_text("from _beside_it import VALUE\n\nMETRIC = VALUE\n")
    registry.use_folder(tmp_path)
    assert registry.load("metrics", "with_helper") == 3
    assert "_beside_it" not in registry.names("metrics")


@pytest.mark.parametrize("name", ["two words", "_hidden", "a-b"])
def test_the_name_of_a_plugin_is_a_python_name(name, tmp_path):
    with pytest.raises(ConfigError, match="is a Python name"):
        new.write_plugin("metrics", name, tmp_path)
