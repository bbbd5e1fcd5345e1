"""Units, dimensions and labels: the measures by which every expression is checked."""
