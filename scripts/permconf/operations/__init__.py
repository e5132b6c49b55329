"""What a person does with studies: plan, run, summarise, replay, use a cluster."""
