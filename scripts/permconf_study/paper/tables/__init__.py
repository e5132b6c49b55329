"""Tables other than those of the scenarios, one module per rule."""
