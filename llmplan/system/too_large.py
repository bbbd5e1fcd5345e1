"""How large a plan's equations may become, and what is raised beyond."""

from __future__ import annotations

MAX_NODES = 400_000
"""A plan that unrolls to more equations than this is refused rather than computed."""

MAX_STEPS = 200_000
"""The same for the expressions that are looked at, which may all fold to a few numbers."""


class TooLarge(Exception):
    """The plan unrolls to more than `MAX_NODES` equations or `MAX_STEPS` expressions."""
