"""The limits on the size of a plan's equations, and the exception for plans beyond them."""

from __future__ import annotations

MAX_NODES = 400_000
"""A plan that unrolls to more equations than this is refused, not computed."""

MAX_STEPS = 200_000
"""The limit on expressions that are lowered, which may all fold to a few numbers."""


class TooLarge(Exception):
    """The plan unrolls to more than `MAX_NODES` equations or `MAX_STEPS` expressions."""
