"""How deep a text may nest, in brackets and operators."""

from __future__ import annotations

NESTING = 100

DEEPEST = 50 * NESTING
"""So much a parser may have open at once. What nests within the limit never comes near; what does not is refused here, before
it fills the memory."""


class TooDeep(Exception):
    """What stands at `place` nests more than `NESTING` deep."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place
