"""The grammar of shell scripts, as far as launches need it: text → commands, conditions and loops, nothing run.

What is not understood is skipped to the end of its line and listed, so that one odd construct never hides the rest.
"""

from __future__ import annotations

from llmplan.read.document import MOST_CHARACTERS, Unreadable
from llmplan.read.shell_lexer import Lexer, Odd, word_of
from llmplan.read.shell_nodes import (
    Assignment,
    Block,
    Case,
    Chain,
    Command,
    For,
    Function,
    Group,
    If,
    Loop,
    Part,
    Script,
    Simple,
    Word,
)

_DEPTH = 60
_ENDS = frozenset({"fi", "done", "esac", "then", "else", "elif", "do", "}"})


def parse(text: str, line: int = 1) -> Script:
    """A script; `line` is where its text begins."""
    if len(text) > MOST_CHARACTERS:
        raise Unreadable("it is too long to be read as a script")
    reader = _Reader(text.replace("\r\n", "\n"), line)
    body = reader.block(())
    return Script(tuple(body), tuple(dict.fromkeys(reader.comments)), tuple(dict.fromkeys(reader.odd)))


class _Reader(Lexer):
    def block(self, ends: tuple[str, ...]) -> list[Command]:
        """The commands up to one of some words, which stays the next."""
        self.depth += 1
        if self.depth > _DEPTH:
            raise Unreadable("its commands are nested too deeply", self.line)
        found: list[Command] = []
        while True:
            self._separators()
            if self.at >= len(self.text) or self._peek() in ends:
                break
            if self.text.startswith(";;", self.at) and ";;" in ends:
                break
            start, line = self.at, self.line
            try:
                if start in self.failed:
                    raise Odd  # a bracket before it is not closed either: what follows is read once, not once for each
                command = self._chain()
                if command is not None:
                    found.append(command)
                if self.at == start:
                    raise Odd
            except Odd:
                self.failed.add(start)
                self.at = start
                end = self.text.find("\n", start)
                end = len(self.text) if end < 0 else end
                self.odd.append((self.text[start:end].strip(), line))
                self.at = end
        self.depth -= 1
        return found

    def _separators(self) -> None:
        while True:
            self.blank()
            if self.at < len(self.text) and self.text[self.at] == "\n":
                self.at += 1
                self._here_documents()
            elif (
                self.at < len(self.text)
                and self.text[self.at] in ";&"
                and not self.text.startswith((";;", "&&"), self.at)
            ):
                self.at += 1
            else:
                return

    def _peek(self) -> str:
        """The word that follows if it is plain, else an empty text; a closing bracket too."""
        self.blank()
        if self.text.startswith(";;", self.at):
            return ";;"
        if self.text.startswith(")", self.at):
            return ")"
        end = self.at
        while end < len(self.text) and self.text[end] not in " \t\n;&|<>()\"'$`\\":
            end += 1
        return self.text[self.at : end]

    def _take(self, word: str) -> None:
        if self._peek() != word:
            raise Odd
        self.at += len(word)

    def _chain(self) -> Command | None:
        first = self._pipeline()
        rest: list[tuple[str, Command]] = []
        while True:
            self.blank()
            operator = next((one for one in ("&&", "||") if self.text.startswith(one, self.at)), None)
            if operator is None:
                break
            self.at += 2
            self._separators()
            follows = self._pipeline()
            if follows is not None:
                rest.append((operator, follows))
        if first is None or not rest:
            return first
        return Chain(first, tuple(rest))

    def _pipeline(self) -> Command | None:
        first = self._command()
        joined = [first] if first is not None else []
        while True:
            self.blank()
            if self.text.startswith("||", self.at) or not self.text.startswith("|", self.at):
                break
            self.at += 2 if self.text.startswith("|&", self.at) else 1
            self._separators()
            follows = self._command()
            if follows is not None:
                joined.append(follows)
        if len(joined) < 2:
            return first
        return Group(tuple(joined))

    def _command(self) -> Command | None:
        word = self._peek()
        if word == "!":
            self.at += 1
            word = self._peek()
        if word in _ENDS:
            raise Odd
        if word == "if":
            return self._if()
        if word in ("for", "select"):
            return self._for(word)
        if word in ("while", "until"):
            self._take(word)
            self.block(("do",))
            self._take("do")
            body = self.block(("done",))
            self._take("done")
            self._redirects()
            return Loop(tuple(body))
        if word == "case":
            return self._case()
        if word == "{":
            self.at += 1
            body = self.block(("}",))
            self._take("}")
            self._redirects()
            return Group(tuple(body))
        if word == "function":
            self._take(word)
            name = self._peek()
            self.at += len(name)
            self.blank()
            if self.text.startswith("()", self.at):
                self.at += 2
            return self._function(name)
        if self.text.startswith("((", self.at):
            end = self.closing(self.at, "(", ")")
            self.at = end + 1
            return None
        if self.text.startswith("(", self.at):
            self.at += 1
            body = self.block((")",))
            self._take(")")
            self._redirects()
            return Group(tuple(body))
        if (
            word
            and word.replace("-", "_").isidentifier()
            and self.text[self.at + len(word) :].lstrip(" \t")[:2] == "()"
        ):
            self.at = self.text.index("()", self.at) + 2
            return self._function(word)
        return self._simple()

    def _function(self, name: str) -> Command:
        self._separators()
        body = self._command()
        return Function(name, (body,) if body is not None else ())

    def _if(self) -> Command:
        branches: list[tuple[Block, Block]] = []
        self._take("if")
        otherwise: list[Command] = []
        while True:
            condition = self.block(("then",))
            self._take("then")
            body = self.block(("elif", "else", "fi"))
            branches.append((tuple(condition), tuple(body)))
            if self._peek() == "elif":
                self._take("elif")
                continue
            if self._peek() == "else":
                self._take("else")
                otherwise = self.block(("fi",))
            self._take("fi")
            self._redirects()
            return If(tuple(branches), tuple(otherwise))

    def _for(self, word: str) -> Command:
        line = self.line
        self._take(word)
        self.blank()
        if self.text.startswith("((", self.at):
            self.at = self.closing(self.at, "(", ")") + 1
            name, words = "", None
        else:
            name = self._peek()
            self.at += len(name)
            words = None
            if self._peek() == "in":
                self._take("in")
                found = []
                while (one := self.word()) is not None:
                    found.append(one)
                words = tuple(found)
        self._separators()
        self._take("do")
        body = self.block(("done",))
        self._take("done")
        self._redirects()
        return For(name, words, tuple(body), line)

    def _case(self) -> Command:
        self._take("case")
        subject = self.word()
        self._separators()
        self._take("in")
        arms = []
        while True:
            self._separators()
            if self._peek() == "esac":
                self._take("esac")
                break
            if self.text.startswith("(", self.at):
                self.at += 1
            patterns = []
            while (pattern := self.word()) is not None:
                patterns.append(pattern)
                self.blank()
                if self.text.startswith("|", self.at):
                    self.at += 1
            self._take(")")
            body = self.block((";;", "esac"))
            arms.append((tuple(patterns), tuple(body)))
            self.blank()
            if self.text.startswith(";;", self.at):
                self.at += 2
        return Case(subject or (), tuple(arms))

    def _simple(self) -> Command | None:
        start, line = self.at, self.line
        assignments: list[Assignment] = []
        words: list[Word] = []
        output: Word | None = None
        here: list[tuple[Part, ...]] = []
        has_here = False
        while True:
            self.blank()
            operator = self.operator()
            if operator in ("<", ">", ">>", "&>", "<<", "<<-", "<<<"):
                self.at += len(operator)
                if operator in ("<<", "<<-"):
                    self.blank()
                    before = self.at
                    name = self.word() or ()
                    expands = not any(mark in self.text[before : self.at] for mark in "'\"\\")
                    self.waiting.append(("".join(p.text for p in name), expands, operator == "<<-", here))
                    has_here = True
                    continue
                if self.text.startswith("&", self.at):
                    self.at += 1
                target = self.word()
                if operator in (">", ">>"):
                    output = target
                if operator == "<<<" and target is not None:
                    here.append(target)
                continue
            if operator is not None or self.at >= len(self.text):
                break
            if words and self._peek().isdigit() and self.text[self.at + len(self._peek()) :][:1] in ("<", ">"):
                self.at += len(self._peek())  # 2>&1
                continue
            if not words and (assignment := self._assignment()) is not None:
                assignments.append(assignment)
                continue
            if (
                words
                and words[0]
                and words[0][0].text in ("export", "declare", "local", "readonly", "typeset")
                and (assignment := self._assignment()) is not None
            ):
                assignments.append(assignment)
                continue
            word = self.word()
            if word is None:
                break
            if word:
                words.append(word)
        raw = self.text[start : self.at]
        if not assignments and not words and not here and not has_here:
            return None
        if has_here:
            # Its text follows the line.
            end = self.text.find("\n", self.at)
            if end >= 0 and not self.text[self.at : end].strip(" \t;)"):
                self.at = end + 1
                self._here_documents()
        return Simple(tuple(assignments), tuple(words), line, output, here[0] if here else None, raw)

    def _assignment(self) -> Assignment | None:
        end = self.at
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
            end += 1
        name = self.text[self.at : end]
        if not name.isidentifier():
            return None
        adds = self.text.startswith("+=", end)
        if not adds and not self.text.startswith("=", end):
            return None
        line = self.line
        self.at = end + (2 if adds else 1)
        if self.text.startswith("(", self.at):
            self.at += 1
            found = []
            while True:
                while True:
                    self.blank()
                    if self.text.startswith("\n", self.at):
                        self.at += 1
                    else:
                        break
                if self.at >= len(self.text) or self.text.startswith(")", self.at):
                    break
                word = self.word()
                if word is None:
                    raise Odd
                found.append(word)
            if self.at >= len(self.text):
                raise Odd
            self.at += 1
            return Assignment(name, tuple(found), adds, line, True)
        if self.at < len(self.text) and self.text[self.at] in " \t\n;&|":
            return Assignment(name, (), adds, line)
        return Assignment(name, self.word() or (), adds, line)

    def _redirects(self) -> None:
        """What follows a compound command: `done < FILE`, `} 2>&1`."""
        while True:
            self.blank()
            if self._peek().isdigit() and self.text[self.at + len(self._peek()) :][:1] in ("<", ">"):
                self.at += len(self._peek())
            operator = self.operator()
            if operator not in ("<", ">", ">>", "&>"):
                return
            self.at += len(operator)
            if self.text.startswith("&", self.at):
                self.at += 1
            self.word()

    def _here_documents(self) -> None:
        """The texts of the here-documents that the line just ended asks for."""
        waiting, self.waiting = self.waiting, []
        for end, expands, stripped, into in waiting:
            parts: list[Part] = []
            while self.at < len(self.text):
                stop = self.text.find("\n", self.at)
                stop = len(self.text) if stop < 0 else stop
                line = self.text[self.at : stop]
                number = self.line
                self.at = min(stop + 1, len(self.text))
                shown = line.lstrip("\t") if stripped else line
                if shown == end:
                    break
                continued = expands and shown.endswith("\\") and not shown.endswith("\\\\")
                if expands:
                    parts.extend(word_of(shown[:-1] if continued else shown, number, quoted=True))
                else:
                    parts.append(Part("text", shown, number, True))
                if not continued:
                    parts.append(Part("text", "\n", number, True))
            into.append(tuple(parts))
