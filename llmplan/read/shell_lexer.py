"""The words of a shell script: quotes, variables, substitutions; nothing is replaced yet."""

from __future__ import annotations

from bisect import bisect_right

from llmplan.read.shell_nodes import Part, Word

OPERATORS = ("&&", "||", ";;", "|&", "<<<", "<<-", "<<", ">>", "&>", "|", ";", "&", "(", ")", "<", ">", "\n")


class Odd(Exception):
    """What stands there is not understood."""


def word_of(text: str, line: int, quoted: bool = False) -> Word:
    """A text as a word, as behind `${A:-`; as it stands where its quotes or braces do not close."""
    try:
        return Lexer(text, line).whole_word(quoted)
    except Odd:
        return (Part("text", text, line, quoted),)


class Lexer:
    """Reads words from a place of a text on.

    Args:
        line: Where the text begins.
    """

    def __init__(self, text: str, line: int) -> None:
        self.text = text
        self.at = 0
        self.first = line
        self.ends = [i for i, char in enumerate(text) if char == "\n"]
        self.comments: list[tuple[str, int]] = []
        self.odd: list[tuple[str, int]] = []
        self.waiting: list[tuple[str, bool, bool, list[tuple[Part, ...]]]] = []
        self.depth = 0
        self.failed: set[int] = set()  # where commands begin that are not understood

    @property
    def line(self) -> int:
        return self.first + bisect_right(self.ends, self.at - 1)

    # Words

    def whole_word(self, quoted: bool) -> Word:
        parts: list[Part] = []
        while self.at < len(self.text):
            self.part(parts, quoted, stops="")
        return tuple(parts)

    def blank(self) -> None:
        while self.at < len(self.text):
            if self.text.startswith("\\\n", self.at):
                self.at += 2
            elif self.text[self.at] in " \t":
                self.at += 1
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                self.comments.append((self.text[self.at : end], self.line))
                self.at = end
            else:
                return

    def operator(self) -> str | None:
        for operator in OPERATORS:
            if self.text.startswith(operator, self.at):
                return operator
        return None

    def word(self) -> Word | None:
        """The next word, None where an operator or the end stands."""
        self.blank()
        if self.at >= len(self.text) or self.operator() is not None:
            return None
        parts: list[Part] = []
        while self.at < len(self.text) and self.text[self.at] not in " \t\n;&|<>()":
            if self.text.startswith("\\\n", self.at):
                self.at += 2
                break
            self.part(parts, False, stops=" \t\n;&|<>()")
        return tuple(parts)

    def part(self, parts: list[Part], quoted: bool, stops: str) -> None:
        text, char, line = self.text, self.text[self.at], self.line
        if char == "\\":
            self.at += 2
            follows = text[self.at - 1 : self.at]
            if follows != "\n":
                parts.append(Part("text", follows if not quoted or follows in '$`"\\' else f"\\{follows}", line, True))
        elif char == "'" and not quoted:
            end = text.find("'", self.at + 1)
            if end < 0:
                raise Odd
            parts.append(Part("text", text[self.at + 1 : end], line, True))
            self.at = end + 1
        elif char == '"' and not quoted:
            self._double(parts)
        elif char == "$":
            self._dollar(parts, quoted)
        elif char == "`":
            end = text.find("`", self.at + 1)
            if end < 0:
                raise Odd
            parts.append(Part("command", text[self.at + 1 : end], line, quoted))
            self.at = end + 1
        else:
            start = self.at
            special = "\\'\"$`" if not quoted else '\\$`"'
            while self.at < len(text) and text[self.at] not in special and text[self.at] not in stops:
                self.at += 1
            if self.at == start:
                self.at += 1
            parts.append(Part("text", text[start : self.at], line, quoted))

    def _double(self, parts: list[Part]) -> None:
        self.at += 1
        parts.append(Part("text", "", self.line, True))
        while self.at < len(self.text) and self.text[self.at] != '"':
            if self.text.startswith("\\\n", self.at):
                self.at += 2
                continue
            if self.text[self.at] == "\n":
                parts.append(Part("text", "\n", self.line, True))
                self.at += 1
                continue
            self.part(parts, True, stops="\n")
        if self.at >= len(self.text):
            raise Odd
        self.at += 1

    def _dollar(self, parts: list[Part], quoted: bool) -> None:
        text, line = self.text, self.line
        if text.startswith("$((", self.at):
            end = self.closing(self.at + 1, "(", ")")
            parts.append(Part("arithmetic", text[self.at + 3 : end - 1], line, quoted))
            self.at = end + 1
        elif text.startswith("$(", self.at):
            end = self.closing(self.at + 1, "(", ")")
            parts.append(Part("command", text[self.at + 2 : end], line, quoted))
            self.at = end + 1
        elif text.startswith("${", self.at):
            end = self.closing(self.at + 1, "{", "}")
            inside = text[self.at + 2 : end]
            length = 1
            while length <= len(inside) and (inside[:length].isidentifier() or inside[:length].isdigit()):
                length += 1
            length -= 1
            if not length and inside[:1] in "@*?!#$-":
                length = 2 if inside[:1] in "#!" and len(inside) > 1 else 1
                if inside[:1] in "#!" and len(inside) > 1:
                    name = inside[1:].split("[")[0]
                    parts.append(Part("variable", name, line, quoted, f"{inside[0]}{inside[1 + len(name) :]}"))
                    self.at = end + 1
                    return
            parts.append(Part("variable", inside[:length], line, quoted, inside[length:]))
            self.at = end + 1
        else:
            self.at += 1
            start = self.at
            if self.at < len(text) and (text[self.at].isdigit() or text[self.at] in "@*#?!$-"):
                self.at += 1
            else:
                while (
                    self.at < len(text)
                    and (text[self.at].isalnum() or text[self.at] == "_")
                    and text[self.at].isascii()
                ):
                    self.at += 1
            if self.at == start:
                if self.at < len(text) and text[self.at] in "'\"":
                    return  # $'…' and $"…": as without the dollar
                parts.append(Part("text", "$", line, quoted))
            else:
                parts.append(Part("variable", text[start : self.at], line, quoted))

    def closing(self, at: int, opening: str, closing: str) -> int:
        """The place of the bracket that closes the one at a place."""
        depth, text = 0, self.text
        while at < len(text):
            char = text[at]
            if char == "\\":
                at += 1
            elif char in "'\"" and not (char == "'" and closing == "}" and depth > 0):
                end = at + 1
                while end < len(text) and text[end] != char:
                    end += 2 if text[end] == "\\" and char == '"' else 1
                at = end
            elif char == opening:
                depth += 1
            elif char == closing:
                depth -= 1
                if not depth:
                    return at
            at += 1
        raise Odd

    # Commands
