"""What reading needs to know of the library: its inputs, and the entries that a name means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from attrs import field, frozen

from llmplan.read.values import Data, Member
from llmplan.units import amount

Form = Literal["number", "word", "text", "entry", "entries"]


@frozen
class Input:
    """An input of a plan.

    Attributes:
        form: How its value is written: a number, a word (a member, `true`, an entry that formulas choose), a text,
            the name of an entry, or a list of names.
        kind: Of an entry, or of each of several.
        words: The members that a word may be; empty where any may.
        units: Of a number; of two the second is the one that files count in.
        base: The unit of its values, without which a plan takes none; empty for a count, which needs none.
        default: The value without which it is the same, where that is a plain value.
    """

    path: str
    form: Form
    kind: str = ""
    words: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    base: str = ""
    default: Data | None = field(default=None)

    def read(self, text: str) -> Data | None:
        """The value that a text means, a number in base units; None for what it cannot be."""
        match self.form:
            case "number":
                return amount.of_text(text)
            case "word" if text in self.words:
                return Member(text)
            case "word" if not self.words and text in ("true", "false"):
                return text == "true"
            case "text" | "entry":
                return text
        return None


@frozen
class Library:
    """What a plan may say.

    Attributes:
        inputs: By their paths.
        entry: The one entry of a kind that a name in a file means, or else those that it may.
        path: A file as the plan names it.
    """

    inputs: Mapping[str, Input]
    entry: Callable[[str, str], tuple[str | None, list[str]]]
    path: Callable[[str], str]
