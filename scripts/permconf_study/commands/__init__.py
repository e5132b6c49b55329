"""Commands for studies: plan, run, summarise, replay, use a cluster."""
