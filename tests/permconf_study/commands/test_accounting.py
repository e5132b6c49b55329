import subprocess

import pytest

from permconf_study.commands import accounting as costs

BOOKS = """\
7|permconf-ab_1|COMPLETED|100|2|03:10.500
7.batch|batch|COMPLETED|100|2|00:03.000
8|permconf-ab_1|CANCELLED by 0|10|1|00:00:05
9|permconf-cd_1|COMPLETED|50|1|00:50
"""


@pytest.mark.parametrize(
    ("text", "expected"), [("00:07.250", 7.25), ("01:02:03", 3723), ("2-00:00:01", 172801), ("05:00.000", 300)]
)
def test_slurms_times_are_read(text, expected):
    assert costs.seconds(text) == expected


def test_only_the_jobs_of_a_run_are_counted(monkeypatch):
    monkeypatch.setattr(costs.subprocess, "run", lambda *_a, **_k: subprocess.CompletedProcess("sacct", 0, BOOKS, ""))
    jobs = costs.accounted_jobs("permconf-ab", 0)
    assert [(job.state, job.held, job.used) for job in jobs] == [("COMPLETED", 200, 190.5), ("CANCELLED", 10, 5)]


def test_forecast_and_reality_are_compared():
    jobs = [costs.Job("COMPLETED", 2000, 1800), costs.Job("FAILED", 1600, 0)]
    text = costs.comparison({"core_hours": 0.8}, jobs, inside=3580)
    assert "2 jobs (1 completed, 1 failed); 0.5 core-hours used and 1 held, 0.8 forecast (-38 % and +25 %)" in text
    assert "Overhead per job: 10.0 s" in text


def test_times_of_steps_since_a_run_began(tmp_path):
    folder = tmp_path / "logs/permutation_nulls/exp1"
    folder.mkdir(parents=True)
    (folder / "times.tsv").write_text("00000-00009\t50\t1.50\n00010-00019\t5")
    assert costs.step_seconds(tmp_path, 0) == 1.5
    assert costs.step_seconds(tmp_path, 1e11) == 0
