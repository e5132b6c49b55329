"""Tables beside those of the scenarios, one module for each rule that makes them."""
