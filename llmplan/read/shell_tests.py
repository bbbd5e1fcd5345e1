"""The conditions of a shell, as far as its script tells them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from llmplan.read import shell_nodes as nodes
from llmplan.read.document import UNKNOWN
from llmplan.read.shell_words import Words, text_of

_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-lt": operator.lt,
    "-le": operator.le,
    "-gt": operator.gt,
    "-ge": operator.ge,
}


class Test:
    """A condition in brackets; None where it asks for what only a run tells."""

    def __init__(self, reader: Words, command: nodes.Simple) -> None:
        self.reader = reader
        words = [
            word for word in command.words if "".join(part.text for part in word) not in ("[", "[[", "]", "]]", "test")
        ]
        self.words = words

    def status(self) -> bool | None:
        words = self.words
        negated = False
        while words and "".join(part.text for part in words[0]) == "!":
            negated, words = not negated, words[1:]
        found = self._of(words)
        return found if found is None or not negated else not found

    def _of(self, words: Sequence[nodes.Word]) -> bool | None:
        plain = ["".join(part.text for part in word) if all(p.kind == "text" for p in word) else "" for word in words]
        for joined in ("-o", "-a"):
            if joined in plain[1:-1]:
                at = plain.index(joined, 1)
                one, other = self._of(words[:at]), self._of(words[at + 1 :])
                decided = joined == "-o"
                if one is decided or other is decided:
                    return decided
                return None if one is None or other is None else not decided
        if len(words) == 2 and plain[0] in ("-z", "-n"):
            empty = self._empty(words[1])
            return empty if empty is None or plain[0] == "-z" else not empty
        if len(words) == 2 and plain[0] in ("-f", "-d", "-e", "-s", "-r", "-x"):
            return True  # the files of a launch are taken as being there
        if len(words) == 3:
            left, right = (text_of(self.reader.text(words[at])) for at in (0, 2))
            if UNKNOWN in left + right:
                return None
            if plain[1] in ("=", "=="):
                return fnmatchcase(left, right)
            if plain[1] == "!=":
                return not fnmatchcase(left, right)
            if plain[1] in _COMPARED and re.fullmatch(r"-?\d+", left) and re.fullmatch(r"-?\d+", right):
                return _COMPARED[plain[1]](int(left), int(right))
            return None
        if len(words) == 1:
            empty = self._empty(words[0])
            return None if empty is None else not empty
        return None

    def _empty(self, word: nodes.Word) -> bool | None:
        """Whether a text is empty. A variable that is set nowhere is, an argument of the script is not known."""
        for part in word:
            named = part.kind == "variable" and not part.rest and part.text.isidentifier()
            if named and part.text not in self.reader.variables:
                continue
            text = text_of(self.reader.text((part,)))
            if UNKNOWN in text:
                return None
            if text:
                return False
        return True
