#!/usr/bin/env bash
# State of a Slurm job in the words of Snakemake: running, success or failed. No answer counts as running.
state=$(sacct -j "$1" --format=State --noheader -X 2>/dev/null | head -n 1 | tr -d ' +')
[ -n "$state" ] || state=$(scontrol show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
case "$state" in
  COMPLETED) echo success ;;
  "" | PENDING | RUNNING | CONFIGURING | COMPLETING | SUSPENDED | REQUEUED | RESIZING) echo running ;;
  *) echo failed ;;
esac
