from types import SimpleNamespace

from permconf.operations import clean


def test_results_that_took_long_are_spared(tmp_path, capsys):
    for name, seconds in (("quick", 5.0), ("long", 4000.0)):
        for folder in (f"results/{name}/chunks", f"results/logs/permutation_nulls/{name}", "figures"):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / f"results/logs/permutation_nulls/{name}/times.tsv").write_text(f"00000-00009\t0\t{seconds}\n")
    (tmp_path / "results/plan.yaml").touch()
    (tmp_path / "figures/fig01.pdf").touch()
    for folder in ("results", "figures"):
        (tmp_path / folder / "README.md").touch()
    clean.main(SimpleNamespace(directory=tmp_path, all=False))
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == ["README.md", "logs", "long"]
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["README.md"]
    assert "which took 1.1 hours to compute" in capsys.readouterr().out
    clean.main(SimpleNamespace(directory=tmp_path, all=True))
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["README.md"]


def test_nothing_to_remove(tmp_path):
    clean.main(SimpleNamespace(directory=tmp_path, all=False))
