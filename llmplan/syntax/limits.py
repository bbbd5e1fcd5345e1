"""The limits on the nesting of a text in brackets and operators, and on its number of words."""

from __future__ import annotations

NESTING = 100

DEEPEST = 50 * NESTING
"""The most brackets and operators that a parser may have open at once. Text within the nesting limit never comes near;
other text is refused here, before it fills the memory.
"""

WORDS = 400_000
"""The most words and marks in one text. Plans of 1 MB have 100,000 to 350,000, but there could be a million of a single
letter, and each becomes a node.
"""


INTERPOLATIONS = 60_000
"""The most interpolations in the texts of one plan. Each is parsed separately, which takes as long as a line; plans
have dozens.
"""


class TooDeep(Exception):
    """The text at `place` nests more than `NESTING` deep."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class TooLong(Exception):
    """The item at `place` is one too many, of `WORDS` or of `INTERPOLATIONS`."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place
