"""Filter for the output of a run: shows progress, errors and the summary, hides descriptions of single jobs.

Snakemake's own option to hide jobs also hides their errors.
"""

import re

CHATTER = re.compile(
    r"Building DAG|Using shell|Provided (cores|remote)|Rules claiming|Conda env|Select jobs|Execute |Finished jobid"
    r"|\[[A-Z][a-z]{2} [^]]*\]$|Complete log|Elapsed time|Assuming unrestricted|host: |Config file "
    r"|Using workflow specific|SLURM run ID|MinJobAge|No SLURM account|No account was|Unable to guess SLURM"
    r"|Cleaning up SLURM|.*--(rerun-triggers|cleanup-metadata)|$"
)
JOB = re.compile(r"(local)?rule \w+:$|\[[^]]*\] Group job ")
INDENTED = re.compile(r"\s{4}|$")


def shown(lines):
    """The lines to show."""
    in_job = False
    for line in lines:
        in_job = bool(JOB.match(line)) or (in_job and bool(INDENTED.match(line)))
        if not in_job and not CHATTER.match(line):
            yield line
