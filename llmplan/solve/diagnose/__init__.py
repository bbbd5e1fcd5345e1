"""Diagnosis of a solution or of an infeasible system."""
