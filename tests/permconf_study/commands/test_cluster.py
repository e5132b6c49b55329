import socket
import subprocess
from types import SimpleNamespace

import pytest

from permconf_study.commands import cluster
from permconf_study.commands.cluster import (
    ClusterError,
    check_abandoned,
    check_profile,
    check_results,
    check_slurm,
    check_submission,
    job_prefix,
    own_jobs,
    profile_arguments,
    site_resources,
)
from permconf_study.commands.run import snakemake


def test_runs_in_different_folders_have_different_prefixes(tmp_path):
    assert job_prefix(tmp_path) == job_prefix(str(tmp_path))
    assert job_prefix(tmp_path) != job_prefix(tmp_path / "other")
    assert job_prefix(tmp_path).startswith("permconf-")


def test_a_profile_that_is_not_there_or_runs_locally_is_refused(tmp_path, request):
    with pytest.raises(ClusterError, match=r"no cluster profile .*slrum"):
        check_profile(tmp_path / "slrum")
    profiles = request.config.rootpath / "workflow" / "profiles"
    with pytest.raises(ClusterError, match="runs locally: it sets no executor"):
        check_profile(profiles / "default")
    for name in ("slurm", "generic"):
        assert check_profile(profiles / name) == profiles / name


def test_missing_and_silent_slurm_are_told_apart(monkeypatch):
    def missing(*_args, **_kwargs):
        raise FileNotFoundError

    def silent(*_args, **_kwargs):
        raise subprocess.TimeoutExpired("sinfo", 20)

    def refusing(*_args, **_kwargs):
        return subprocess.CompletedProcess("sinfo", 1, "", "sinfo: error: no controller\nmore")

    for run, message in (
        (missing, "the command sinfo was not found"),
        (silent, "sinfo timed out after 20 seconds"),
        (refusing, "Slurm does not respond: sinfo: error: no controller$"),
    ):
        monkeypatch.setattr(cluster.subprocess, "run", run)
        with pytest.raises(ClusterError, match=message):
            check_slurm()


def test_only_this_runs_jobs_are_found(monkeypatch):
    listing = "12 permconf-abcd_1\n13 somebody else\n14 permconf-ffff_1\n15 permconf-abcd_2\n"
    monkeypatch.setattr(
        cluster.subprocess, "run", lambda *_a, **_k: subprocess.CompletedProcess("squeue", 0, listing, "")
    )
    assert own_jobs("permconf-abcd") == ["12", "15"]


def test_the_prefix_reaches_the_slurm_plugin_only(request):
    profiles = request.config.rootpath / "workflow" / "profiles"
    assert "--slurm-jobname-prefix" in profile_arguments(profiles / "slurm", "p", {})
    assert "--slurm-jobname-prefix" not in profile_arguments(profiles / "generic", "p", {})


def test_partition_and_account_are_added_to_the_resources_of_the_profile(request):
    profile = request.config.rootpath / "workflow/profiles/slurm"
    resources = site_resources(profile, SimpleNamespace(partition="main", account=None))
    assert resources == {"mem_mb": 1000, "runtime": 30, "slurm_partition": "main"}
    assert "slurm_partition=main" in profile_arguments(profile, "p", resources)


@pytest.mark.parametrize(
    ("resources", "answers", "message"),
    [
        (
            {"slurm_account": "nobdy"},
            {"sacctmgr": (0, "nobody\n", "")},
            "'nobdy' is not one of yours, did you mean",
        ),
        (
            {"slurm_partition": "mian", "mem_mb": 10},
            {
                "sbatch": (
                    1,
                    "",
                    "error: no\nallocation failure: Invalid partition name specified\n",
                )
            },
            "would not accept a job with --partition=mian --mem=10: Invalid partition name specified$",
        ),
    ],
)
def test_settings_that_slurm_would_refuse_are_named_before_anything_is_submitted(
    monkeypatch, resources, answers, message
):
    def answer(command, **_):
        return subprocess.CompletedProcess(command, *answers.get(command[0], (0, "", "")))

    monkeypatch.setattr(cluster.subprocess, "run", answer)
    with pytest.raises(ClusterError, match=message):
        check_submission(resources)


def test_settings_and_targets_reach_snakemake(tmp_path):
    command = snakemake(tmp_path, ["datasets=3"], "--", "x")
    assert command[-4:] == ["--config", "datasets=3", "--", "x"]
    assert "--config" not in snakemake(tmp_path, [], "--", "x")


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


def test_jobs_of_an_interrupted_run_are_cancelled(monkeypatch):
    listings = iter([["4", "5"], ["5"], []])
    cancelled = []
    monkeypatch.setattr(cluster, "own_jobs", lambda _prefix: next(listings))
    monkeypatch.setattr(cluster.subprocess, "run", lambda command, **_k: cancelled.append(command))
    monkeypatch.setattr(cluster.time, "sleep", lambda _seconds: None)
    assert cluster.cancel_own_jobs("p") == 2
    assert cancelled == [["scancel", "4", "5"]]
