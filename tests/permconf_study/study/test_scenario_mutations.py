"""Whatever is done to a scenario file, it is refused with one sentence or runs: never another exception.

Valid files are mutated (keys renamed, entries deleted, values of a wrong type or out of range, values nested or
exchanged); accepted files are designed, simulated and assessed, and a failed data set becomes a row with its error.
"""

import copy
import re
from datetime import date
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from permconf.errors import ConfigError
from permconf.permute.random_streams import Streams
from permconf_study.study.assessments import assess_datasets
from permconf_study.study.chunks import blocks, chunks
from permconf_study.study.datasets import simulate
from permconf_study.study.design import design_block
from permconf_study.study.scenario import load_scenarios
from permconf_study.study.schema import read_yaml

TEXTS = (None, True, b"bytes", date(2018, 5, 18), "", "many", "1e-3", "exp1", "a.b.c", ".x", "os.abort")
NUMBERS = (0, 1, -1, 3, 0.5, -0.5, 1.5, 2**70, -(10**30), 1e300, float("nan"), float("inf"), float("-inf"))
LISTS = ([], [1], [1, 2], [None], [[1]])
MAPPINGS = ({}, {"a": 1}, {"name": "half"}, {"name": 3})
SPREADS = ({"values": [1, float("nan")]}, {"range": [0, 1]}, {"integers": [0.5, 2]}, {"uniform": [3, 2]})
DERIVED = ({"equal": "n"}, {"sum": []}, {"sum": [1, 2]}, {"one_minus": ["beta"]}, {"product": ["rho", "rho", "rho"]})
VALUES = st.sampled_from((*TEXTS, *NUMBERS, *LISTS, *MAPPINGS, *SPREADS, *DERIVED))
WRAPS = [lambda v: [v], lambda v: {"range": v}, lambda v: {"values": v}, lambda v: {"name": v}, lambda v: {"equal": v}]


def places(content, path=()):
    """Paths of every entry of nested mappings and lists."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


@st.composite
def mutants(draw, originals):
    """The name of a valid file, and its content with one to three changes."""
    name = draw(st.sampled_from(sorted(originals)))
    content = copy.deepcopy(originals[name])
    for _ in range(draw(st.sampled_from([1, 1, 2, 3]))):
        paths = list(places(content))
        if not paths:
            break
        mutate(draw, content, draw(st.sampled_from(paths)), paths)
    return name, content


def mutate(draw, content, path, paths):
    """One change, at one place (a nudge: at a number)."""
    kind = draw(st.sampled_from(["rename", "delete", "replace", "nest", "copy", "scale", *["nudge"] * 4]))
    event(kind)
    numbers = [place for place in paths if type(value_at(content, place)) in (int, float)]
    if kind == "nudge" and numbers:
        path = draw(st.sampled_from(numbers))
    *parents, last = path
    at = value_at(content, parents)
    if kind == "delete":
        del at[last]
    elif kind == "rename" and isinstance(at, dict):
        name = draw(st.sampled_from([str(last)[:-1], f"{last}s", str(last).upper(), "", "name", "n", 5, None, True]))
        at[name] = at.pop(last)
    elif kind == "nest":
        at[last] = draw(st.sampled_from(WRAPS))(at[last])
    elif kind == "copy":
        at[last] = copy.deepcopy(value_at(content, draw(st.sampled_from(paths))))
    elif kind == "nudge" and path in numbers:
        at[last] = type(at[last])(at[last] * draw(st.sampled_from([0.5, 0.9, 0.99, 1.01, 1.1, 2])))
    elif kind == "scale" and isinstance(at[last], int | float):
        at[last] = at[last] * draw(st.sampled_from([-1, 0, 0.5, 3]))
    else:
        at[last] = copy.deepcopy(draw(VALUES))  # several places must not share one list


def value_at(content, path):
    for key in path:
        content = content[key]
    return content


@pytest.fixture(scope="module")
def originals(request):
    """The shipped files with generated data, by name."""
    folder = request.config.rootpath / "workflow" / "scenarios"
    return {path.stem: read_yaml(path) for path in sorted(folder.glob("*/*.yaml")) if path.stem != "patients"}


def write_others(folder, name, originals, scenarios, written):
    """Write the scenarios that a file refers to as files of their own."""
    for other in {str(word) for word in words(originals[name])} & scenarios.keys():
        if Path(scenarios[other]["file"]).stem != name:
            (folder / f"{other}.yaml").write_text(yaml.safe_dump(written[other][1]))


def words(content):
    """Every value of nested mappings and lists that is no mapping or list."""
    for path in places(content):
        value = value_at(content, path)
        if not isinstance(value, dict | list):
            yield value


def vocabulary(content):
    """Every word that can locate a mistake: the keys of the file and of the schema's first level."""
    keys = {str(key) for path in places(content) for key in path}
    return keys | {"title", "data", "learner", "metrics", "metric", "generator", "datasets", "parameters"}


@pytest.mark.parametrize("cases", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_a_mutated_file_is_refused_with_a_sentence_or_runs(
    originals, scenarios, written, cases, tmp_path_factory, monkeypatch
):
    monkeypatch.setattr("permconf_study.study.design.BLOCK", 4)  # hypercubes of 1,000 rows would take hours
    folders = {name: tmp_path_factory.mktemp(name) for name in originals}
    for name, folder in folders.items():
        write_others(folder, name, originals, scenarios, written)
    outcomes = {"refused": 0, "ran": 0, "failed": 0}

    @settings(
        max_examples=cases, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(mutants(originals))
    def check(mutant):
        name, content = mutant
        (folders[name] / "x.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
        try:
            found = load_scenarios(folders[name], {}).values()
        except ConfigError as error:
            outcomes["refused"] += 1
            assert_is_a_sentence(str(error), content)
        else:
            made = [scenario for scenario in found if scenario["file"].endswith("x.yaml")]
            outcomes[outcome_of(made[-1])] += 1

    check()
    assert sum(outcomes.values()) >= cases / 1.2
    assert min(outcomes["refused"], outcomes["ran"]) >= cases / 12, outcomes


def assert_is_a_sentence(message, content):
    assert message.startswith("x.yaml")
    assert "\n" not in message
    assert "Traceback" not in message
    assert set(re.findall(r"\w+", message)) & vocabulary(content), f"it names no key: {message}"


def outcome_of(scenario):
    """Assess the first data set, with few permutations."""
    assert blocks(scenario["datasets"])
    assert chunks(scenario["datasets"], scenario["chunk"])
    tests = {kind: options | {"shuffles": 2, "inner": 2} for kind, options in scenario["confounder_tests"].items()}
    learner = scenario["learner"]
    if "random_forest" in str(learner):
        learner = {"name": "random_forest", "trees": 2}
    quick = scenario | {"permutations": 3, "confounder_tests": tests, "learner": learner}
    where = {"stream": scenario["stream"], "seed": 1}
    design = design_block(scenario["data"], 0, Streams(1, scenario["stream"], 0))
    datasets = simulate(scenario["data"], {name: column[:1] for name, column in design.items()}, **where)
    rows, _ = assess_datasets(datasets, quick, **where)
    assert set(rows["status"]) <= {"ok", "failed"}  # one for each metric
    if rows["status"][0] == "failed":
        assert "\n" not in rows["error"][0]
        return "failed"
    return "ran"
