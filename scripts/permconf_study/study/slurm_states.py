"""Every way in which a Slurm job can end, in words that Snakemake's Slurm plugin knows.

The plugin compares states with fixed words and takes any other state for "still running". It would wait for ever for a
job that somebody cancelled ("CANCELLED by 1000"), and for a preempted job, which it leaves to Slurm to requeue.
"""

import sys
from typing import Any

ENDED = ("PREEMPTED", "REVOKED", "SPECIAL_EXIT")  # without requeueing; the plugin knows the other ones


def understood(state, *, requeued):
    """A state of Slurm's accounting as one word that the plugin understands."""
    word = state.split()[0] if state else state
    return "FAILED" if word in ENDED and not requeued else word


def teach(workflow):
    """Let the Slurm plugin see only states that it understands, if it is there."""
    plugin: Any = sys.modules.get("snakemake_executor_plugin_slurm")
    if plugin is None or hasattr(plugin.query_job_status, "asked"):
        return
    asked = plugin.query_job_status

    async def query_job_status(command, logger):
        states, seconds = await asked(command, logger)
        requeued = bool(workflow.executor_settings.requeue)
        states = states and {job: understood(state, requeued=requeued) for job, state in states.items()}
        return states, seconds

    query_job_status.asked = asked  # type: ignore[attr-defined]
    plugin.query_job_status = query_job_status
