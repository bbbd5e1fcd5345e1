"""Diagnosis of an answer, or of an infeasible system."""
