import copy

import pytest
import yaml

from permconf_study.study.scenario import load_scenarios
from permconf_study.study.scenario_files import read_drafts
from permconf_study.study.scenario_like import written_out


@pytest.fixture(scope="session")
def written(request):
    """Random stream and settings of every shipped scenario."""
    return written_out(read_drafts(request.config.rootpath / "workflow" / "scenarios"))


@pytest.fixture
def exp1(written):
    """Experiment 1 as it would stand in a file of its own."""
    return copy.deepcopy(written["exp1"][1])


@pytest.fixture
def load(tmp_path):
    """Load scenarios from mappings, as if each were a file."""

    def scenarios(config=None, **files):
        for name, content in files.items():
            (tmp_path / f"{name}.yaml").write_text(
                content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
            )
        return load_scenarios(tmp_path, config or {})

    return scenarios
