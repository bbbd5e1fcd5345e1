"""Presolve: eliminates unknowns that equations, domains or objectives determine."""
