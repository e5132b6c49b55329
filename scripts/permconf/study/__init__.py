"""A scenario file becomes tables: configuration, designs, data sets, assessments, rejection rates."""
