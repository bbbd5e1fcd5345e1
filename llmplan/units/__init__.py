"""Units, dimensions and labels: the measures that every expression is checked with."""
