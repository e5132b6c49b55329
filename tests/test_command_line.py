"""The command `permconf`: help with an example for every command; errors are one sentence with exit code 2."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from permconf.__main__ import CANNOT_KEEP_KERNELS, EXAMPLE, main, parser
from permconf_study.commands.parsers import EXAMPLES as OF_THE_STUDY

EXAMPLES = {"audit": EXAMPLE} | OF_THE_STUDY


@pytest.mark.parametrize("command", EXAMPLES)
def test_every_command_has_help_with_examples_that_are_valid(command, capsys):
    with pytest.raises(SystemExit, match="0"):
        parser().parse_args([command, "--help"])
    assert f"  permconf {command}" in capsys.readouterr().out
    for line in EXAMPLES[command].splitlines():
        assert parser().parse_args(line.partition("#")[0].split()[1:]).command == command


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["replay", "sister", "17"], "sister is a grid of 16 scenarios; name one, such as sister_moderate_no_forest"),
        (["summary", "exp11"], "unknown scenario 'exp11', did you mean 'exp1'?"),
        (["run", "exp1_forrest"], "unknown target 'exp1_forrest', did you mean 'exp1_forest'?"),
        (["replay", "exp1", "5000"], "exp1 has data sets 0 to 999, no 5000"),
        (["plan", "exp1", "--mcse", "7"], "--mcse must be between 0 and 0.5, not 7"),
        (["new", "exp1; rm x"], "'exp1; rm x': a scenario's name is made of letters"),
        (
            ["replay", "exp1", "1", "--config", "datsets=3"],
            "config.yaml: unknown key 'datsets', did you mean 'datasets'?",
        ),
        (["run", "--config", "seed=[1"], "--config seed: '[1' is not a value"),
        (["run", "--config", "datasets"], "--config expects key=value, not 'datasets'"),
    ],
)
def test_errors_are_one_sentence(arguments, sentence, capsys):
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"permconf: {sentence}")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("trouble", "code", "sentence"),
    [
        (PermissionError(13, "Permission denied", "results/x"), 1, "results/x: Permission denied"),
        (OSError(28, "No space", "x"), 1, "x: the disk is full; free some space and repeat the command, which resumes"),
        (MemoryError(), 1, "there is not enough memory"),
        (ImportError("failed to map segment"), 1, "failed to map segment"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (RuntimeError("cannot cache function 'f': no locator available for file 'x'"), 1, CANNOT_KEEP_KERNELS),
    ],
    ids=repr,
)
def test_trouble_with_the_machine_is_one_sentence(trouble, code, sentence, capsys, monkeypatch):
    def main_of_a_command(_):
        raise trouble

    monkeypatch.setattr("permconf_study.commands.clean.main", main_of_a_command)
    assert main(["clean"]) == code
    assert capsys.readouterr().err == f"permconf: {sentence}\n"


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("clean | true", 141, ""),
        ("clean > /dev/full", 1, "permconf: the disk is full; free some space"),
        ("clean >&-", 0, ""),
        ("--help | true", 0, ""),
    ],
)
def test_output_that_cannot_be_written_is_no_traceback(command, code, said, tmp_path):
    command = f"{sys.executable} -m permconf {command}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == code
    assert done.stderr[: len(said) or None] == said


def test_a_full_disk_is_noticed_before_the_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))
    assert main(["run", "--directory", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(f"permconf: {tmp_path}: the disk is full; ")


@pytest.mark.parametrize("name", ["file", "folder/results"])
def test_a_folder_that_is_a_file_is_named(name, tmp_path, capsys):
    (tmp_path / "folder").mkdir()
    (tmp_path / name).write_text("")
    assert main(["run", "--directory", str(tmp_path / name.partition("/")[0])]) == 1
    assert capsys.readouterr().err == f"permconf: {tmp_path / name}: File exists\n"


def test_results_may_be_a_link_to_a_folder_that_does_not_exist_yet(tmp_path, monkeypatch):
    monkeypatch.setattr("permconf_study.commands.run._run", lambda *_, **__: 0)
    (tmp_path / "run").mkdir()
    (tmp_path / "run/results").symlink_to(tmp_path / "elsewhere/results")
    assert main(["run", "--directory", str(tmp_path / "run")]) == 0
    assert (tmp_path / "elsewhere/results").is_dir()


@pytest.mark.parametrize("cores", ["0", "-1", "two"])
def test_a_number_of_cores_is_checked(cores, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["run", "--cores", cores])
    assert f"must be a positive whole number, not '{cores}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "predictions of erkältet".encode()),
        ({"PYTHONIOENCODING": "ascii"}, rb"predictions of erk\xe4ltet"),
    ],
    ids=["of the locale", "of the output"],
)
def test_another_encoding_does_not_matter(environment, said, tmp_path, request):
    table = tmp_path / "Größen.csv"
    rows = "".join(f"{k % 2},{'männlich' if k % 4 < 2 else 'weiblich'},{k * 7 % 11}\n" for k in range(40))
    table.write_text(f"erkältet,Geschlecht,Größe\n{rows}", encoding="utf-8")
    command = [sys.executable, "-m", "permconf", "audit", table, "--permutations", "19", "--out", tmp_path / "answer"]
    command += ["--response", "erkältet", "--confounders", "Geschlecht"]
    paths = {"HOME": str(tmp_path), "PYTHONPATH": str(request.config.rootpath / "scripts")}
    done = subprocess.run(command, capture_output=True, env=environment | paths, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert said in done.stdout


def test_help_needs_no_heavy_imports(request):
    code = "import sys, permconf.__main__ as m; m.parser(); assert not {'numpy', 'numba', 'yaml'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=request.config.rootpath / "scripts")
