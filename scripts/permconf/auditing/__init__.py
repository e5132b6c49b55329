"""Own data: a table becomes an answer. Does a learner read the confounder, and how well would it do without?"""
