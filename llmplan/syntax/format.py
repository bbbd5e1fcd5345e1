"""The canonical layout of a plan.

Words stay as they are, on the lines where their author put them. The formatter changes the space between them, the
indentation, blank lines, the alignment of `=` in a block, and the items of a multi-line block, which get a line each.
The tree stays the same, and a second run changes nothing.
"""

from __future__ import annotations

from attrs import define, field

from llmplan.source import Source
from llmplan.syntax import nodes as n
from llmplan.syntax.parse import Word, words

INDENT = 4

_CLOSERS = {"(": ")", "[": "]", "{": "}"}

# How tightly the first word of a line binds: a line that binds tighter than one above is indented one step deeper.
_BINDING = {
    "when": 0, "because": 0, "else": 0, "weight": 0, "into": 0, "or": 1, "and": 2, "in": 3, "<": 3, "<=": 3, "==": 3,
    "!=": 3, ">=": 3, ">": 3,
    "..": 4, "+": 5, "-": 5, "*": 6, "/": 6, "^": 7,
}  # fmt: skip


def format_file(file: n.File, source: Source) -> str:
    """The text of a plan in canonical layout, from its tree; raises ValueError if the source does not parse."""
    return _Layout(file, source).text()


@define
class _Line:
    indent: int
    text: str
    blank_before: bool = False
    comment: str = ""
    equals: int = -1  # the position of a field's `=` in the text, -1 for other lines
    group: int = -1  # the lines of one group align their `=`


@define
class _Context:
    """An open bracket, or the file."""

    closer: str  # its closing bracket; empty for the file
    outer: int  # the indentation of the line that opened it
    base: int  # the indentation of its content
    broken: bool  # whether it is a multi-line block, with one item a line
    group: int = 0  # alignment group of its current fields
    # How tightly the lines that continue the current item bind, loosest first, and their indentation.
    bindings: list[tuple[int, int]] = field(factory=list)
    # The `if`s that wait for their `else`: the indentation of the line, and of its `then` if that begins a line; None
    # before the `then`, -1 if it is within a line.
    ifs: list[tuple[int, int | None]] = field(factory=list)

    def begin_item(self) -> None:
        self.bindings.clear()
        self.ifs.clear()

    @property
    def separates(self) -> bool:
        """Whether its items are separated by line breaks."""
        return self.closer in ("", "}")


class _Layout:
    def __init__(self, file: n.File, source: Source) -> None:
        self.source = source
        self.words = words(source)
        self.comments = list(reversed(file.comments))
        self.lines: list[_Line] = []
        self.contexts = [_Context("", 0, 0, True)]
        self.groups = 0
        self.begins_item = True  # the next word is the first of a statement, field or arm
        self.spaced_range = False
        self.signs: set[int] = set()  # where a minus is a sign
        self.spaced: set[int] = set()  # ends of operands with space before their `..`
        self.named: set[int] = set()  # ends of the names of fields
        self.decorated: set[int] = set()  # ends of decorators
        self.tight: set[int] = set()  # ends of factors with no space behind, and starts of those with none before
        for node in n.walk(file):
            self._note(node)

    def _note(self, node: n.Node) -> None:
        if isinstance(node, n.Negative):
            self.signs.add(node.span.start)
        elif isinstance(node, n.Range):
            operands = [part for part in (node.low, node.expected, node.high) if part is not None]
            if not all(map(_is_short, operands)):
                self.spaced.update(part.span.end for part in operands)
        elif isinstance(node, n.Field):
            self.named.add(node.name.span.end)
        elif isinstance(node, (n.Scenario, n.Measured)):
            self.named.update(setting.target.span.end for setting in node.settings)
        elif isinstance(node, n.Decorator):
            self.decorated.add(node.span.end)
            for argument in node.arguments:
                self._note_tight(argument)

    def _note_tight(self, argument: n.Node) -> None:
        """A unit or a fraction in a decorator is one word: `GB/s`, `1/2`."""
        if not isinstance(argument, n.Product):
            return
        factors = [argument.first, *(factor for _, factor in argument.rest)]
        names = [factor for factor in factors if isinstance(factor, n.Name) and len(factor.parts) == 1]
        numbers = [factor for factor in factors if isinstance(factor, n.Number) and factor.unit is None]
        if len(names) + len(numbers) == len(factors):
            self.tight.update(factor.span.end for factor in factors[:-1])
            self.tight.update(factor.span.start for factor in factors[1:])

    def text(self) -> str:
        last: Word | None = None
        closed = self._closed()
        for place, word in enumerate(self.words):
            if word.kind == "_NL":
                self.begins_item = True
                continue
            context = self.contexts[-1]
            if word.mark == ",":
                context.begin_item()
                if self._drops_comma(context, place):
                    self.begins_item, last = context.closer == "}", word
                    continue
            closes = word.mark != "" and word.mark == context.closer
            begins = last is None or self._breaks(context, last, word, closes)
            if last is None or begins:
                self._begin_line(context, last, word, closes)
            else:
                line = self.lines[-1]
                if word.mark == "=" and last.end in self.named and context.broken:
                    line.equals, line.group = len(line.text), context.group
                line.text += self._space(last, word) + self._shown(word)
            self.begins_item = word.mark == "," and context.closer == "}"
            self._branch(context, word, begins)
            if closes:
                self.contexts.pop()
            elif word.mark in _CLOSERS:
                self._open(word, closed[word.start])
            last = word
        self._comments_until(len(self.source.text), last, 0, blanks=True)
        return self._joined()

    def _shown(self, word: Word) -> str:
        return self.source.text[word.start : word.end]

    def _closed(self) -> dict[int, int]:
        """The position of each bracket's closing one."""
        closed: dict[int, int] = {}
        opened: list[int] = []
        for word in self.words:
            if word.mark in _CLOSERS:
                opened.append(word.start)
            elif word.mark in _CLOSERS.values():
                closed[opened.pop()] = word.start
        return closed

    def _open(self, word: Word, end: int) -> None:
        indent = self.lines[-1].indent
        inside = self.source.text[word.end : end]
        broken = word.mark == "{" and "\n" in inside and inside.strip(" \t\r\n") != ""
        self.groups += 1
        self.contexts.append(_Context(_CLOSERS[word.mark], indent, indent + INDENT, broken, self.groups))
        self.begins_item = word.mark == "{"

    def _drops_comma(self, context: _Context, place: int) -> bool:
        """Whether a comma is redundant: before a closing bracket, or if each item has its own line."""
        following = next(word for word in self.words[place + 1 :] if word.kind != "_NL")
        if following.mark and following.mark == context.closer:
            return context.closer == "}" or "\n" not in self.source.text[self.words[place].end : following.start]
        # A line that begins with an operator would continue the one above.
        return context.closer == "}" and context.broken and following.mark not in _BINDING

    def _breaks(self, context: _Context, last: Word, word: Word, closes: bool) -> bool:
        """Whether a word begins a new line."""
        commented = self.comments and self.comments[-1].span.start < word.start
        if commented or context.broken and (self.begins_item or closes):
            return True
        if closes and last.mark == "{" or last.kind == "NUMBER" and word.kind in ("MEASURE", "PERCENT"):
            return False
        return "\n" in self.source.text[last.end : word.start]

    def _begin_line(self, context: _Context, last: Word | None, word: Word, closes: bool) -> None:
        first = self.begins_item and context.separates
        indent = context.outer if closes else context.base if first else self._carried(context, word)
        above = context.base if closes else indent
        follows_decorator = last is not None and last.end in self.decorated
        blanks = context.separates and (first or closes) and not follows_decorator
        written = len(self.lines)
        start = self._comments_until(word.start, last, above, blanks)
        blank = blanks and not closes and self._blank(start, word.start)
        self.lines.append(_Line(indent, self._shown(word), blank))
        if first:
            context.begin_item()
            if any(line.blank_before for line in self.lines[written:]):
                self.groups += 1
                context.group = self.groups

    def _carried(self, context: _Context, word: Word) -> int:
        """The indentation of a line that continues an item."""
        base = context.base + (INDENT if context.separates else 0)
        line, then = context.ifs[-1] if context.ifs else (0, 0)
        if word.mark == "then" or word.mark == "else" and context.ifs:
            indent = then if then is not None and then > 0 else max(base, line)
            if word.mark == "then":
                indent = max(base, line + INDENT)
            context.bindings = [above for above in context.bindings if above[1] < indent]
            context.bindings.append((0, indent))
            return indent
        binding = _BINDING.get(word.mark)
        if binding is None:
            context.bindings.clear()
            return base
        while context.bindings and context.bindings[-1][0] > binding:
            context.bindings.pop()
        if context.bindings and context.bindings[-1][0] == binding:
            return context.bindings[-1][1]
        indent = context.bindings[-1][1] + INDENT if context.bindings else base
        if context.ifs and then is None:
            indent = max(indent, line + 2 * INDENT)  # a condition, which must not look like the `then`
        elif context.ifs and then == -1:
            indent = max(indent, line + INDENT)
        context.bindings.append((binding, indent))
        return indent

    def _branch(self, context: _Context, word: Word, begins: bool) -> None:
        """Keeps track of the parts of an `if`."""
        indent = self.lines[-1].indent
        if word.mark == "if":
            context.ifs.append((indent, None))
        elif word.mark == "then":
            context.ifs.append((context.ifs.pop()[0], indent if begins else -1))
        elif word.mark == "else" and context.ifs:  # otherwise it belongs to a requirement
            context.ifs.pop()

    def _comments_until(self, end: int, last: Word | None, indent: int, blanks: bool) -> int:
        """Writes the comments before a place; returns where the last one, or else the word before, ends."""
        start = last.end if last is not None else -1
        while self.comments and self.comments[-1].span.start < end:
            comment = self.comments.pop()
            shown = comment.text.rstrip()
            if comment.own_line or not self.lines:
                self.lines.append(_Line(indent, shown, blanks and self._blank(start, comment.span.start)))
            else:
                self.lines[-1].comment = shown
            start = comment.span.end
        return start

    def _blank(self, start: int, end: int) -> bool:
        """Whether there is a blank line between two places that must be kept."""
        text = self.source.text
        return start >= 0 and text[start - 1] != "{" and text.count("\n", start, end) > 1

    def _space(self, last: Word, word: Word) -> str:
        if word.mark == "..":
            self.spaced_range = last.end in self.spaced
        if word.mark == ".." or last.mark == "..":
            return " " if self.spaced_range else ""
        if word.mark in (",", ")", "]", ".", ":") or last.mark in ("(", "[", ".", "@"):
            return ""
        if last.kind == "NAME" and word.mark in ("(", "[") or last.kind == "NUMBER" and word.mark == "%":
            return ""
        if last.mark == "{" and word.mark == "}":
            return ""
        if word.mark in ("/", "*") and last.end in self.tight or last.mark in ("/", "*") and word.start in self.tight:
            return ""
        return "" if last.mark == "-" and last.start in self.signs else " "

    def _joined(self) -> str:
        widths: dict[int, int] = {}
        for line in self.lines:
            widths[line.group] = max(widths.get(line.group, 0), line.equals)
        shown = []
        for line in self.lines:
            text = line.text
            if line.equals >= 0:
                text = text[: line.equals].ljust(widths[line.group]) + text[line.equals :]
            comment = f"  {line.comment}" if line.comment else ""
            shown.append("\n" * line.blank_before + " " * line.indent + text + comment + "\n")
        return "".join(shown)


def _is_short(node: n.Expr) -> bool:
    """Whether an end of a range reads well without space: `1..8`, `30%..55%`, `1..f(n)`."""
    if isinstance(node, n.Number):
        return node.unit is None or node.unit.text == "%"
    return isinstance(node, n.Name | n.Call | n.Index | n.Paren)
