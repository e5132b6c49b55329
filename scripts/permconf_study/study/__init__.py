"""From scenario files to tables: configuration, designs, data sets, assessments, rejection rates."""
