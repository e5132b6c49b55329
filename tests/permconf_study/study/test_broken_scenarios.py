"""One broken file stops only itself: it is named in one sentence, and the other scenarios run."""

import pytest
import yaml

from permconf import registry
from permconf.errors import ConfigError
from permconf_study.commands.targets import files_of
from permconf_study.study.code_digest import step_code
from permconf_study.study.configuration import checked_settings, chosen_scenarios, scenarios_of
from permconf_study.study.steps import Steps

FILES = {
    "good": {},
    "syntax": 'title: "x',
    "typo": {"metrix": ["mse"]},
    "child": {"like": "typo"},
    "grandchild": {"like": "syntax"},
    "plain": {"data": {"generator": "function", "parameters": {"n": 40}, "datasets": 4}},
    "number": {"metrics": ["constant"]},
    "twice": {},
    "folder/twice": {},
    "family": {"grid": {"permutations": [19, -1]}},
    "stressed": {"group": "stress", "learner": "nope"},
}
PLUGINS = {
    "generators/function.py": "def sample(rng, *, n): ...\n\n\nGENERATOR = sample\n",
    "metrics/constant.py": "METRIC = 1\n",
    "learners/syntax.py": "def (\n",
}
SENTENCES = {
    "syntax": "syntax.yaml is not valid YAML: ",
    "typo": "typo.yaml: unknown key 'metrix', did you mean 'metrics'?",
    "child": "typo.yaml: unknown key 'metrix', did you mean 'metrics'?",
    "grandchild": "syntax.yaml is not valid YAML: ",
    "plain": "function.py: GENERATOR is of type function; write GENERATOR = Generator(...)",
    "number": "constant.py: METRIC is of type int; write METRIC = Metric(...)",
    "twice": "twice.yaml: the name 'twice' is also that of a scenario or file in ",
    "family": "family.yaml (family_-1): permutations",
    "family_-1": "family.yaml (family_-1): permutations",
    "stressed": "stressed.yaml: unknown learner 'nope'; choose from ",
}


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory, written):
    """Valid and broken files in one folder, and broken plugins."""
    folder, exp4 = tmp_path_factory.mktemp("broken"), written["exp4"][1]
    for name, change in FILES.items():
        path = folder / "scenarios" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(change if isinstance(change, str) else yaml.safe_dump(exp4 | change))
    for name, text in PLUGINS.items():
        path = folder / "plugins" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    settings = {"seed": 1, "scenario_dir": str(folder / "scenarios"), "plugins": str(folder / "plugins")}
    yield scenarios_of(checked_settings(settings))
    registry._folders.remove((folder / "plugins").resolve())
    registry.load.cache_clear()


def test_the_others_are_loaded(scenarios):
    assert sorted(scenarios) == ["family_19", "good"]
    assert sorted(scenarios.faults) == sorted(SENTENCES)


@pytest.mark.parametrize("name", SENTENCES)
def test_who_asks_for_a_broken_one_gets_its_sentence(scenarios, name):
    asked = (lambda: chosen_scenarios([name], scenarios)), (lambda: files_of([f"results/{name}/curves.csv"], scenarios))
    for ask in asked:
        with pytest.raises(ConfigError) as refused:
            ask()
        assert SENTENCES[name] in str(refused.value)


def test_a_table_of_a_group_is_not_made_without_a_broken_member(scenarios):
    steps = Steps(scenarios, checked_settings({"seed": 1}))
    assert steps.in_group("stress") == ["stressed"]
    with pytest.raises(ConfigError, match="unknown learner 'nope'"):
        steps.files_of("stressed", "chunks")


@pytest.mark.usefixtures("scenarios")
def test_a_broken_plugin_that_nobody_uses_stops_no_step():
    assert len(step_code.__wrapped__("redraws")) == 16
