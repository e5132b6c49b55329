from permconf_study.commands import progress

SAID = """\
- Building DAG of jobs...
+ Job stats:
+ job      count
- [Mon Nov 16 04:42:46 2026]
- rule simulate:
-     input: results/exp1/design/000.csv
-     reason: Missing output files
-
- [Mon Nov 16 04:42:46 2026] Group job chunk (jobs in lexicogr. order):
-
-     [Mon Nov 16 04:42:46 2026]
-     rule permutation_nulls:
-         input: x.npz
+ Job 1 has been submitted with SLURM jobid 4 (log: 4.log).
- [Mon Nov 16 04:43:28 2026]
- localrule aggregate:
-     input: y.parquet
- [Mon Nov 16 04:43:28 2026]
- Finished jobid: 7 (Rule: simulate)
+ 3 of 10 steps (30%) done
- [Mon Nov 16 04:43:29 2026]
+ Error in rule simulate:
+     message: SLURM-job '4' failed, SLURM status is: 'TIMEOUT'.
+     log: results/logs/simulate/exp1/00000-00009.log (check log file(s) for error details)
- [Mon Nov 16 04:43:29 2026]
+     message: Error in group chunk
+     jobs:
+         rule simulate:
+             jobid: 3
+ WorkflowError:
+ At least one job did not complete successfully.
"""


def test_progress_and_errors_are_shown_and_jobs_are_not():
    lines = SAID.splitlines(keepends=True)
    shown = progress.shown(line[2:] or "\n" for line in lines)
    assert list(shown) == [line[2:] for line in lines if line.startswith("+")]
