"""One continuous unknown: along a line for every setting of the discrete ones."""
