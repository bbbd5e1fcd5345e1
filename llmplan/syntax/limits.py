"""How deep a text may nest, in brackets and operators, and how many words it may have."""

from __future__ import annotations

NESTING = 100

DEEPEST = 50 * NESTING
"""So much a parser may have open at once. What nests within the limit never comes near; what does not is refused here,
before it fills the memory."""

WORDS = 400_000
"""Words and marks of one text. Plans of 1 MB have 100,000 to 350,000; of words of a single letter it could be a
million, each of which becomes a node."""


INTERPOLATIONS = 60_000
"""Interpolations in the texts of one plan. Each is read by itself, which takes as long as a line; plans have dozens."""


class TooDeep(Exception):
    """The text at `place` nests more than `NESTING` deep."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class TooLong(Exception):
    """At `place` begins what is one too many, of `WORDS` or of `INTERPOLATIONS`."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place
