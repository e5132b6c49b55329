from types import SimpleNamespace

import pytest

from permconf_study.commands import clean
from permconf_study.study.processes import FolderInUse, held


def test_results_that_took_long_are_spared(tmp_path, capsys):
    for name, seconds in (("quick", 3600.0), ("long", 3601.0)):
        for folder in (f"results/{name}/chunks", f"results/logs/permutation_nulls/{name}", "figures"):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / f"results/logs/permutation_nulls/{name}/times.tsv").write_text(f"00000-00009\t0\t{seconds}\n")
    (tmp_path / "results/plan.yaml").touch()
    (tmp_path / "figures/fig01.pdf").touch()
    for folder in ("results", "figures"):
        (tmp_path / folder / "README.md").touch()
    with held(tmp_path):
        pass
    clean.main(SimpleNamespace(directory=tmp_path, all=False, old=False))
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == ["README.md", "logs", "long"]
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["README.md"]
    assert "which took 1.0 hours to compute" in capsys.readouterr().out
    clean.main(SimpleNamespace(directory=tmp_path, all=True, old=False))
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["README.md"]


def test_only_what_runs_have_made_is_removed(tmp_path, capsys):
    (tmp_path / "results/mine").mkdir(parents=True)
    clean.main(SimpleNamespace(directory=tmp_path, all=True, old=False))
    assert (tmp_path / "results/mine").exists()
    assert capsys.readouterr().out == f"Nothing was removed: there has been no run in {tmp_path}.\n"


@pytest.mark.parametrize("run", [".", "results/smoke"])
def test_a_run_is_not_disturbed(tmp_path, run):
    with held(tmp_path / run):
        (tmp_path / "results/exp1").mkdir(parents=True)
        with pytest.raises(FolderInUse, match=r"a run in .* is still active"):
            clean.main(SimpleNamespace(directory=tmp_path, all=True, old=False))
    assert (tmp_path / "results/exp1").exists()
    clean.main(SimpleNamespace(directory=tmp_path, all=True, old=False))
    assert not list((tmp_path / "results").iterdir())


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path):
    for folder in ("results", "figures", "scratch"):
        (tmp_path / folder).mkdir()
    (tmp_path / "results/exp1").symlink_to(tmp_path / "scratch")
    with held(tmp_path):
        pass
    clean.main(SimpleNamespace(directory=tmp_path, all=False, old=False))
    assert not list((tmp_path / "results").iterdir())
    assert (tmp_path / "scratch").exists()
