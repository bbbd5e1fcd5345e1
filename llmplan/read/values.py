"""What formulas over keys give: a value, and the keys that it comes from."""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve, field, frozen

from llmplan.read.document import Item
from llmplan.units import amount

Data = Fraction | bool | str | tuple[str, ...]

FILE = "file"
"""The unit of a value that is the name of a file."""


class Member(str):
    """A word of the plan language, not a text: it is written without quotes."""


class Written(str):
    """A formula of the plan language, which is written as it is."""


class Unsaid(Exception):
    """The formula needs a key that says nothing."""


class Unknown(Unsaid):
    """It needs a key whose value only a run would tell: a default does not stand in for it."""


@frozen
class Value:
    """A value and where it comes from; without items it is a default of the software.

    Attributes:
        unit: As the formula or the type of a key names it.
        kinds: The formats whose keys it was read from directly.
        default: Of what software it is, or comes from, a default, where a key decides nothing but that it holds;
            empty: of the formula's own.
        document: Of a key's value the syntax of its document.
    """

    data: Data
    unit: str | None = None
    items: tuple[Item, ...] = ()
    kinds: frozenset[str] = frozenset()
    default: str | None = None
    document: str = field(default="", eq=False)

    def beside(self, *others: Value) -> Value:
        """With the places of what decided that it is this one."""
        items = dict.fromkeys(item for value in (self, *others) for item in value.items)
        return evolve(self, items=tuple(items), kinds=self.kinds.union(*(other.kinds for other in others)))


def is_path(name: str) -> bool:
    """Whether a model's name is that of a folder, not one on a hub."""
    return name.startswith(("/", ".", "~")) or name.count("/") > 1


def same(one: Data, other: Data) -> bool:
    """Whether two values are one, a number and its text among them."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Fraction) != isinstance(other, Fraction):
        text, value = (other, one) if isinstance(one, Fraction) else (one, other)
        return isinstance(text, str) and amount.of_text(text) == value
    return one == other
