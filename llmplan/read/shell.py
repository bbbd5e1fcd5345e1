"""A shell script read as far as its text tells: which commands it would run, with which options and environment.

Nothing is run. A value that only a run would tell is unknown (`UNKNOWN`); where a condition is unknown both branches
are read, and a variable that they leave different is unknown afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from typing import cast

from attrs import field, frozen, mutable

from llmplan.read import shell_nodes as nodes
from llmplan.read.document import UNKNOWN, Unreadable
from llmplan.read.flags import Word
from llmplan.read.shell_syntax import parse
from llmplan.read.shell_tests import Test
from llmplan.read.shell_words import ROUNDS, STEPS, Array, Scalar, Value, Words, text_of
from llmplan.units import amount

_CALLS = 20
_LENGTH = 100_000
_PIECES = 2_000
"""Of a value: one that is longer, or has more items, is not known."""
_VARIABLES = 1_000
_SOURCED = 10_000_000
"""The lines of a script that another one reads are numbered from a multiple of this on."""
_SHELLS = ("bash", "sh", "zsh")
_STARTERS = frozenset({"exec", "srun", "mpirun", "nohup", "time"})
"""Commands whose arguments begin another one, after options of their own."""
_BESIDE = re.compile(r"(\./)?[\w.-]+\.(sh|bash|env|conf|cfg)")
"""What a script reads from its own folder: elsewhere lie environments, which say nothing of a run."""

_SCRIPT = re.compile(r".*\.(sh|bash|sbatch|slurm|sub)")
_PLAIN = frozenset({"echo", "printf"})
_UNKNOWN: Scalar = (Word(UNKNOWN, 0),)


@frozen
class Command:
    """A command that a script runs: its words, variables that it sets for it or exports before, and its own ones.

    Attributes:
        before: The words that start the process which runs it, as `srun --nodes 2` those of a script.
    """

    words: tuple[Word, ...]
    environment: Mapping[str, Word]
    variables: Mapping[str, Word] = field(factory=dict)
    before: tuple[Word, ...] = ()


@frozen
class Script:
    """A script beside the one that is read: its name as people know it, and its text."""

    name: str
    text: str


@frozen
class Written:
    """A file that a script writes from a here-document or an `echo`."""

    name: str
    text: str
    line: int


@mutable
class Run:
    """What a script does.

    Attributes:
        sourced: The scripts that it reads, by the number of the line before their first: lines are numbered through.
        before: The lines that stand before it in its file.
        missing: Scripts that it starts and that are not at hand, each with its line.
    """

    commands: list[Command] = field(factory=list)
    files: list[Written] = field(factory=list)
    directives: list[tuple[str, int]] = field(factory=list)
    unread: list[tuple[str, int]] = field(factory=list)
    sourced: dict[int, str] = field(factory=dict)
    before: int = 0
    missing: list[tuple[str, int]] = field(factory=list)

    def place(self, file: str, line: int) -> tuple[str, int]:
        """The script and the line in it, of a line as they are numbered through from this file's first."""
        own = line % _SOURCED
        start = line - own
        return (self.sourced[start], own) if start in self.sourced else (file, own + self.before)


def read(text: str, known: Mapping[str, str] | None = None, others: Mapping[str, Script] | None = None) -> Run:
    """What a script would do.

    Args:
        known: Variables of the environment that stand elsewhere, as in a job's manifest.
        others: Scripts that it may start, or read as its own, by their names without folders.

    Raises:
        Unreadable: It is too long, or nested too deeply.
    """
    script = parse(text)
    run = Run(unread=list(script.odd))
    run.directives += [(comment, line) for comment, line in script.comments if comment.startswith("#SBATCH")]
    reader = _Reader(run, others or {})
    for name, value in (known or {}).items():
        reader.variables[name] = (Word(value, 0),)
        reader.exported.add(name)
    try:
        reader.block(script.body)
    except _Exit:
        pass
    except RecursionError:
        raise Unreadable("its commands are nested too deeply") from None
    return run


class _Exit(Exception):
    pass


class _Reader(Words):
    def __init__(self, run: Run, others: Mapping[str, Script]) -> None:
        super().__init__()
        self.run = run
        self.others = others
        self.exported: set[str] = set()
        self.functions: dict[str, nodes.Block] = {}
        self.written: dict[str, Written] = {}
        self.before: tuple[Word, ...] = ()  # the words that start what is being read
        self.open: list[str] = []  # the scripts that are being read

    # Commands

    def block(self, body: nodes.Block) -> bool | None:
        status: bool | None = True
        for command in body:
            status = self.command(command)
        return status

    def command(self, command: nodes.Command) -> bool | None:
        self.steps += 1
        if self.steps > STEPS:
            raise Unreadable(f"it has more than {amount.count(STEPS)} commands")
        match command:
            case nodes.Simple():
                return self._simple(command)
            case nodes.Chain(first=first, rest=rest):
                return self._chain(first, rest)
            case nodes.Group(body=body):
                try:
                    return self.block(body)
                except _Exit:
                    return None
            case nodes.Loop(body=body):
                self._apart([body])
                return None
            case nodes.If(branches=branches, otherwise=otherwise):
                return self._if(branches, otherwise)
            case nodes.For(name=name, words=words, body=body):
                self._for(name, words, body)
            case nodes.Case(subject=subject, arms=arms):
                self._case(subject, arms)
            case nodes.Function(name=name, body=body):
                self.functions[name] = body
        return True

    def _chain(self, first: nodes.Command, rest: Sequence[tuple[str, nodes.Command]]) -> bool | None:
        status = self.command(first)
        for joined, command in rest:
            if status is None:
                before = dict(self.variables)
                try:
                    self.command(command)
                except _Exit:
                    self.variables = before
                    continue
                self._merge([before, self.variables])
            elif status is (joined == "&&"):
                try:
                    status = self.command(command)
                except _Exit:
                    if joined == "&&":
                        continue  # a test of what a run is given, which ends it otherwise
                    raise
        return status

    def _if(self, branches: Sequence[tuple[nodes.Block, nodes.Block]], otherwise: nodes.Block) -> bool | None:
        possible: list[nodes.Block] = []
        for condition, body in branches:
            status = self.block(condition) if condition else None
            if status is False:
                continue
            possible.append(body)
            if status:
                break
        else:
            possible.append(otherwise)
        if len(possible) == 1:
            before = dict(self.variables)
            try:
                self.block(possible[0])
            except _Exit:
                self.variables = before
                self.block(otherwise if possible[0] is not otherwise else ())
            return None
        self._apart(possible, joined=True)
        return None

    def _apart(self, bodies: Sequence[nodes.Block], joined: bool = False) -> None:
        """Reads bodies of which one may run, each from the same state; without `joined` the state stays."""
        before = dict(self.variables)
        ends = []
        for body in bodies:
            self.variables = dict(before)
            try:
                self.block(body)
                ends.append(self.variables)
            except _Exit:
                pass
        self.variables = before
        if joined and ends:
            self._merge(ends)

    def _merge(self, ends: Sequence[Mapping[str, Value]]) -> None:
        names = dict.fromkeys(name for end in ends for name in end)
        self.variables = {}
        for name in names:
            values = [end.get(name) for end in ends]
            same = all(value is not None and text_of(value) == text_of(values[0]) for value in values)
            self.variables[name] = values[0] if same and values[0] is not None else _UNKNOWN

    def _for(self, name: str, words: Sequence[nodes.Word] | None, body: nodes.Block) -> None:
        values = [field for word in words for field in self.fields(word)] if words is not None else [_UNKNOWN]
        for value in values[:ROUNDS]:
            if name:
                self.variables[name] = value
            try:
                self.block(body)
            except _Exit:
                break

    def _case(self, subject: nodes.Word, arms: Sequence[tuple[tuple[nodes.Word, ...], nodes.Block]]) -> None:
        value = text_of(self.text(subject))
        if UNKNOWN in value:
            self._apart([*(body for _, body in arms), ()], joined=True)
            return
        for patterns, body in arms:
            if any(fnmatchcase(value, text_of(self.text(pattern))) for pattern in patterns):
                try:
                    self.block(body)
                except _Exit:
                    pass
                return

    def _simple(self, command: nodes.Simple) -> bool | None:
        words = [field for word in command.words for field in self.fields(word)]
        name = text_of(words[0]) if words else ""
        if not words or name in ("export", "declare", "local", "readonly", "typeset"):
            for assignment in command.assignments:
                self._assign(assignment)
                if name == "export" or "-x" in [text_of(word) for word in words]:
                    self.exported.add(assignment.name)
            self.exported |= {text_of(word) for word in words[1:]} if name == "export" else set()
            return True
        if command.output is not None and (command.input is not None or name in _PLAIN):
            self._write(command, words)
            return True
        before = dict(self.variables)
        for assignment in command.assignments:
            self._assign(assignment)
        own = {assignment.name for assignment in command.assignments}
        environment = {
            variable: Word(text_of(value), value[0].line if isinstance(value, tuple) and value else command.line)
            for variable, value in self.variables.items()
            if variable in own or variable in self.exported
        }
        self.variables = before
        return self._called(name, words, environment, command)

    def _called(
        self, name: str, words: list[Scalar], environment: Mapping[str, Word], command: nodes.Simple
    ) -> bool | None:
        if name in ("exit", "return"):
            raise _Exit
        if name in ("[", "[[", "test") or text_of(words[-1]) == "]]":
            return Test(self, command).status()
        if name == "shift":
            self._shift(text_of(words[1]) if len(words) > 1 else "1")
            return True
        if name == "set" and "--" in [text_of(word) for word in words]:
            given = words[[text_of(word) for word in words].index("--") + 1 :]
            self.arguments[-1:] = [[self.arguments[-1][0] if self.arguments else _UNKNOWN, *given]]
            return True
        if name in (":", "true", "set", "cd", "mkdir", "echo", "printf", "wait", "sleep", "unset", "ulimit"):
            return True
        if name == "false":
            return False
        if name in self.functions:
            self._function(name, words[1:])
            return True
        if name == "eval":
            line = words[1][0].line if len(words) > 1 and words[1] else command.line
            self.run.unread.append((command.raw.strip(), command.line))
            self._again(" ".join(text_of(word) for word in words[1:]), line)
            return True
        if name in ("read", "mapfile", "readarray"):
            self._read(words[1:], command)
            return True
        if name in ("source", "."):
            path = text_of(words[1]) if len(words) > 1 else ""
            file = path.rpartition("/")[2]
            if file in self.others and file not in self.open:
                self._script(file, words[1:])
            else:
                self.foreign = True
                self.run.unread.append((command.raw.strip(), command.line))
                if _BESIDE.fullmatch(path):
                    self.run.missing.append((path, command.line))
            return True
        if self._child(words, environment, command):
            return True
        found = tuple(_joined(word, command.line) for word in words)
        own = {
            variable: _joined(value, command.line)
            for variable, value in self.variables.items()
            if isinstance(value, tuple) and variable not in environment
        }
        self.run.commands.append(Command(found, environment, own, self.before))
        return True

    def _read(self, words: list[Scalar], command: nodes.Simple) -> None:
        """`read A B <<< "1,2"` and `read -d '' A <<EOF`: the variables, of a text that the script holds."""
        names = [text_of(word) for word in words if text_of(word).isidentifier()]
        text = self.text(command.input) if command.input is not None else None
        if not names:
            return
        if len(names) == 1 or text is None:
            value: Scalar = _UNKNOWN if text is None else text
            self.variables.update(dict.fromkeys(names, value))
            return
        marks = next(
            (text_of(self.text(cast(nodes.Word, a.value))) for a in command.assignments if a.name == "IFS"), ""
        )
        line = text[0].line if text else command.line
        parts = re.split(f"[{re.escape(marks)}]" if marks else r"\s+", text_of(text).strip(), maxsplit=len(names) - 1)
        for name, part in zip(names, [*parts, *[""] * len(names)]):
            self.variables[name] = (Word(part, line),)

    def _again(self, text: str, line: int) -> None:
        """Reads the text of a command within a command."""
        self.calls += 1
        if self.calls > _CALLS:
            raise Unreadable("its commands call each other too often", line)
        self.block(parse(text, line).body)

    def _child(self, words: list[Scalar], environment: Mapping[str, Word], command: nodes.Simple) -> bool:
        """Reads the script, or the text behind `-c`, that a command starts a shell for; False if it starts none."""
        texts = [text_of(word) for word in words]
        names = [text.rpartition("/")[2] for text in texts]
        if self.calls >= _CALLS:
            return False
        first = names[0] in _STARTERS
        for at, name in enumerate(names):
            if at and not first:
                break
            script = at
            if name in _SHELLS:
                if texts[at + 1 : at + 2] in (["-c"], ["-lc"]) and at + 2 < len(words):
                    line = words[at + 2][0].line if words[at + 2] else command.line
                    arguments = words[at + 3 :] or [words[at]]
                    with self._process(words[:at], environment, command.line), self._given(arguments):
                        self._again(texts[at + 2], line)
                    return True
                script += next((n for n, text in enumerate(texts[at + 1 :], 1) if not text.startswith("-")), 0)
            name = names[script]
            if name in self.open or not _SCRIPT.fullmatch(name):
                continue
            if name in self.others or name in self.written:
                with self._process(words[:at], environment, command.line):
                    self._script(name, words[script:])
                return True
            if UNKNOWN not in name:
                self.run.missing.append((texts[script], command.line))
        return False

    @contextmanager
    def _process(self, words: list[Scalar], environment: Mapping[str, Word], line: int) -> Iterator[None]:
        """What is read within is a process of its own: it sees what is exported, and leaves nothing behind.

        Args:
            words: Those that start it, before its own.
        """
        kept = self.variables, self.exported, self.functions, self.before
        self.variables = {name: (word,) for name, word in environment.items()}
        self.exported, self.functions = set(environment), {}
        self.before = (*self.before, *(_joined(word, line) for word in words))
        try:
            yield
        finally:
            self.variables, self.exported, self.functions, self.before = kept

    def _script(self, file: str, arguments: list[Scalar]) -> None:
        """Reads another script, or one that this one has written, with its name as the first argument."""
        self.open.append(file)
        if file in self.others:
            before = _SOURCED * (len(self.run.sourced) + 1)
            self.run.sourced[before] = self.others[file].name
            text, line = self.others[file].text, before + 1
        else:
            text, line = self.written[file].text, self.written[file].line
        with self._given(arguments):
            self._again(text, line)
        self.open.pop()

    @contextmanager
    def _given(self, arguments: list[Scalar]) -> Iterator[None]:
        """What is read within has these arguments, `$0` first; where it exits, what stands outside goes on."""
        self.arguments.append(list(arguments))
        with suppress(_Exit):
            yield
        self.arguments.pop()

    def _shift(self, count: str) -> None:
        if self.arguments and count.isdecimal():
            del self.arguments[-1][1 : 1 + int(count)]

    def _function(self, name: str, arguments: list[Scalar]) -> None:
        self.calls += 1
        if self.calls > _CALLS:
            return
        own = self.arguments[-1][0] if self.arguments else _UNKNOWN
        with self._given([own, *arguments]):
            self.block(self.functions[name])

    def _assign(self, assignment: nodes.Assignment) -> None:
        if len(self.variables) > _VARIABLES:
            raise Unreadable(f"it has more than {amount.count(_VARIABLES)} variables", assignment.line)
        before = self.variables.get(assignment.name)
        value: Value
        if assignment.is_array:
            items = tuple(field for word in assignment.value for field in self.fields(word))  # type: ignore[arg-type]
            had = before.items if isinstance(before, Array) and assignment.adds else ()
            value = Array((*had, *items)) if len(had) + len(items) <= _PIECES else _UNKNOWN
        else:
            own = self.text(assignment.value)  # type: ignore[arg-type]
            value = (*(before if isinstance(before, tuple) else ()), *own) if assignment.adds else own
            if not value:
                value = (Word("", assignment.line),)
            if len(value) > _PIECES or len(text_of(value)) > _LENGTH:
                value = _UNKNOWN
        self.variables[assignment.name] = value

    def _write(self, command: nodes.Simple, words: list[Scalar]) -> None:
        assert command.output is not None
        name = text_of(self.text(command.output))
        if command.input is not None:
            text = "".join(text_of(self.text((part,))) for part in command.input)
            line = command.input[0].line if command.input else command.line
        else:
            given = [text_of(word) for word in words[1:]]
            text, line = " ".join(word for word in given if word not in ("-e", "-n")), command.line
        if text.strip():
            self.run.files.append(Written(name, text, line))
            self.written[name.rpartition("/")[2]] = self.run.files[-1]


def _joined(word: Scalar, line: int) -> Word:
    return Word(text_of(word), next((piece.line for piece in word if piece.text.strip()), line))
