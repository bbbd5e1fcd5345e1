"""Search along one continuous unknown: a line for every setting of the discrete ones."""
