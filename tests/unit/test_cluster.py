import subprocess

import pytest

from permconf import cluster
from permconf.cluster import ClusterError, check_profile, check_slurm, job_prefix, own_jobs, snakemake_command


def test_runs_in_different_folders_have_different_prefixes(tmp_path):
    assert job_prefix(tmp_path) == job_prefix(str(tmp_path))
    assert job_prefix(tmp_path) != job_prefix(tmp_path / "other")
    assert job_prefix(tmp_path).startswith("permconf-")


def test_a_profile_that_is_not_there_or_runs_locally_is_refused(tmp_path, request):
    with pytest.raises(ClusterError, match=r"there is no cluster profile .*slrum"):
        check_profile(tmp_path / "slrum")
    profiles = request.config.rootpath / "workflow" / "profiles"
    with pytest.raises(ClusterError, match="runs on this machine: it names no executor"):
        check_profile(profiles / "local")
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
        (silent, "sinfo said nothing for 20 seconds"),
        (refusing, "Slurm does not answer: sinfo: error: no controller$"),
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
    assert "--slurm-jobname-prefix" in snakemake_command(profiles / "slurm", "p", ["x"])
    command = snakemake_command(profiles / "generic", "p", ["x"])
    assert "--slurm-jobname-prefix" not in command
    assert command[-1] == "x"
