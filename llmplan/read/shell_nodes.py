"""What a shell script consists of: words of parts, commands, conditions and loops."""

from __future__ import annotations

from attrs import frozen


@frozen
class Part:
    """A piece of a word: text as it stands, or what a run would replace.

    Attributes:
        kind: `text`, `variable` (its name in `text`), `arithmetic` or `command`.
        rest: Behind the name of a variable in braces: `:-8`, `[@]`, `/a/b`.
        quoted: Whether it stands in double quotes, or as text in any.
    """

    kind: str
    text: str
    line: int
    quoted: bool = False
    rest: str = ""


Word = tuple[Part, ...]


@frozen
class Assignment:
    name: str
    value: Word | tuple[Word, ...]  # several words: an array
    adds: bool
    line: int
    is_array: bool = False


@frozen
class Simple:
    """A command: assignments before it, its words, where its output goes, and a here-document for its input."""

    assignments: tuple[Assignment, ...]
    words: tuple[Word, ...]
    line: int
    output: Word | None = None
    input: tuple[Part, ...] | None = None
    raw: str = ""


@frozen
class If:
    branches: tuple[tuple[Block, Block], ...]
    otherwise: Block


@frozen
class For:
    name: str
    words: tuple[Word, ...] | None
    body: Block
    line: int


@frozen
class Case:
    subject: Word
    arms: tuple[tuple[tuple[Word, ...], Block], ...]


@frozen
class Function:
    name: str
    body: Block


@frozen
class Group:
    body: Block


@frozen
class Loop:
    """A `while` or `until`: how often it runs, if at all, is not known."""

    body: Block


@frozen
class Chain:
    """Commands joined by `&&` and `||`; each but the first with what stands before it."""

    first: Command
    rest: tuple[tuple[str, Command], ...]


Command = Simple | If | For | Case | Function | Group | Loop | Chain
Block = tuple[Command, ...]


@frozen
class Script:
    body: Block
    comments: tuple[tuple[str, int], ...]
    odd: tuple[tuple[str, int], ...]
