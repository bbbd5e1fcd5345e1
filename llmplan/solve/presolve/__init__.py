"""Passes before the search: unknowns that equations, domains or objectives define are taken out."""
