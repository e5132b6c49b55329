import socket
import subprocess
from types import SimpleNamespace

import pytest

from permconf_study.commands import cluster, cluster_settings
from permconf_study.commands.cluster import check_abandoned, check_results, own_jobs, profile_arguments
from permconf_study.commands.cluster_settings import ClusterError, check_slurm, check_submission, profile_options


@pytest.fixture(scope="module")
def profiles(request):
    return request.config.rootpath / "workflow" / "profiles"


def test_a_profile_that_is_not_there_runs_locally_or_has_a_mistake_is_refused(tmp_path, profiles):
    with pytest.raises(ClusterError, match=r"no cluster profile .*slrum"):
        cluster_settings.profile_folder(tmp_path / "slrum")
    with pytest.raises(ClusterError, match="runs locally: it sets no executor"):
        profile_options(profiles / "default")
    for name in ("slurm", "generic"):
        assert cluster_settings.profile_folder(profiles / name) == profiles / name
        assert profile_options(profiles / name).executor.startswith(name.replace("generic", "cluster-generic"))
    text = (profiles / "slurm/config.yaml").read_text()
    for right, wrong, message in (("jobs:", "jbos:", "--jbos=100"), ("executor: slurm", "executor: slrum", "'slrum'")):
        (tmp_path / "config.yaml").write_text(text.replace(right, wrong))
        with pytest.raises(ClusterError, match=f"cannot be used: .*{message}"):
            profile_options(tmp_path)


def test_missing_silent_and_stopped_slurm_are_told_apart(monkeypatch):
    def missing(*_args, **_kwargs):
        raise FileNotFoundError

    def silent(*_args, **_kwargs):
        raise subprocess.TimeoutExpired("scontrol", 20)

    def answering(text, error=""):
        return lambda *_args, **_kwargs: subprocess.CompletedProcess("scontrol", 1, text, error)

    for run, message in (
        (missing, "the command scontrol was not found"),
        (silent, "scontrol timed out after 20 seconds"),
        (answering("", "scontrol: error: no configuration\nmore"), "not respond: scontrol: error: no configuration$"),
        (answering("Slurmctld(primary) at a is DOWN\n***"), r"not respond: Slurmctld\(primary\) at a is DOWN$"),
    ):
        monkeypatch.setattr(cluster_settings.subprocess, "run", run)
        with pytest.raises(ClusterError, match=message):
            check_slurm()
    monkeypatch.setattr(cluster_settings.subprocess, "run", answering("Slurmctld(primary) is DOWN\n(backup) is UP\n"))
    check_slurm()


def test_only_this_runs_jobs_are_found(monkeypatch):
    listing = "12 permconf-abcd_1\n13 somebody else\n14 permconf-ffff_1\n15 permconf-abcd_2\n"
    monkeypatch.setattr(
        cluster.subprocess, "run", lambda *_a, **_k: subprocess.CompletedProcess("squeue", 0, listing, "")
    )
    assert own_jobs("permconf-abcd") == ["12", "15"]


def test_partition_and_account_are_added_to_the_resources_of_the_profile(profiles):
    resources = cluster_settings.site_resources(profiles / "slurm", partition="main")
    assert resources == {"mem_mb": 1000, "runtime": 30, "slurm_partition": "main"}
    assert "slurm_partition=main" in profile_arguments(profiles / "slurm", "p", resources, plugin=True)


INVALID = (1, "", "sbatch: error: no\nallocation failure: Invalid partition name specified\n")
OPTION = (1, "", "sbatch: unrecognized option '--gpu'\nTry \"sbatch --help\" for more information\n")
NO_NODE = (1, "", f"allocation failure: {cluster_settings.NO_NODE}\n")


@pytest.fixture
def slurm(monkeypatch):
    """Let commands of Slurm answer as given, by name; returns what was asked for."""

    def answers(**given):
        asked = []

        def answer(command, **_):
            asked.append(command)
            found = given.get(command[0], (0, "", ""))
            return subprocess.CompletedProcess(command, *(found(command) if callable(found) else found))

        monkeypatch.setattr(cluster_settings.subprocess, "run", answer)
        return asked

    return answers


@pytest.mark.parametrize(
    ("resources", "answers", "message"),
    [
        ({"slurm_account": "nobdy"}, {"sacctmgr": (0, "nobody\n", "")}, "'nobdy' is not one of yours, did you mean"),
        ({"qos": "hihg"}, {"sacctmgr": (0, "high\n", "")}, "service 'hihg' is not known to Slurm, did you mean 'high'"),
        (
            {"slurm_partition": "mian", "mem_mb": 10},
            {"sbatch": INVALID},
            "would not accept a job with --partition=mian --mem=10: Invalid partition name specified$",
        ),
        ({"slurm_extra": "'--gpu'"}, {"sbatch": OPTION}, "with --gpu: unrecognized option '--gpu'$"),
        ({"runtime": "tomorrow"}, {}, "default-resources of the profile: Resource 'runtime' with value 'tomorrow'"),
        ({"mem_mb": 10**6}, {"sbatch": lambda c: NO_NODE if "--mem=1000000" in c else (0, "", "")}, "--mem=1000000: "),
    ],
)
def test_settings_that_slurm_would_refuse_are_named_before_anything_is_submitted(slurm, resources, answers, message):
    slurm(**answers)
    with pytest.raises(ClusterError, match=message):
        check_submission(resources)


def test_resources_are_understood_as_snakemake_does(slurm):
    asked = slurm()
    options = SimpleNamespace(slurm_qos="low", slurm_reservation=object())
    given = {"runtime": "2h", "mem": "8GB", "constraint": "a|b", "nodes": "attempt", "gres": "input.size_mb"}
    check_submission(given | {"slurm_extra": "'--nice=5 --hint=compute_bound'"}, options)
    flags = {"--time=120", "--mem=8000", "--constraint=a|b", "--nodes=1", "--qos=low"}
    assert set(asked[-1][2:-2]) == flags | {"--nice=5", "--hint=compute_bound"}
    check_submission({"mem": "8GB", "mem_mb": 500, "mem_mb_per_cpu": 100})
    assert asked[-1][2:-2] == ["--mem-per-cpu=100"]


def test_a_cluster_without_a_free_node_is_waited_for(slurm, capsys):
    slurm(sbatch=NO_NODE)
    check_submission({"mem_mb": 10})
    assert "jobs will wait" in capsys.readouterr().out


def test_jobs_of_a_run_that_may_be_active_elsewhere_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "own_jobs", lambda _prefix: ["1", "2"])
    check_abandoned(tmp_path, "p", "")
    check_abandoned(tmp_path, "p", f"process 1 on {socket.gethostname()}")
    with pytest.raises(ClusterError, match=r"2 jobs .* \(process 1 on login2\); if it is not, use .* --resume"):
        check_abandoned(tmp_path, "p", "process 1 on login2")
    monkeypatch.setattr(cluster, "own_jobs", lambda _prefix: [])
    check_abandoned(tmp_path, "p", "process 1 on login2")


def test_results_must_have_room(tmp_path):
    check_results(tmp_path / "results", 1)
    with pytest.raises(ClusterError, match="but the run needs about 1000000000000 MB"):
        check_results(tmp_path / "results", 1e12)
    (tmp_path / "file").touch()
    with pytest.raises(ClusterError, match="cannot be written: Not a directory"):
        check_results(tmp_path / "file" / "results", 1)


def test_jobs_of_an_interrupted_run_are_cancelled(monkeypatch, capsys):
    listings = iter([["4", "5"], ["5"], []])
    cancelled = []
    monkeypatch.setattr(cluster, "own_jobs", lambda _prefix: next(listings))
    monkeypatch.setattr(cluster.subprocess, "run", lambda command, **_k: cancelled.append(command))
    monkeypatch.setattr(cluster.time, "sleep", lambda _seconds: None)
    cluster.cancel_own_jobs("p")
    assert capsys.readouterr().out == "Cancelled 2 jobs of an interrupted run.\n"
    assert cancelled == [["scancel", "4", "5"]]
