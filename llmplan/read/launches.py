"""The launches among a script's commands: what starts the processes, and the options of the program that they run.

A command is a launch if one of its words starts processes or a program that a format names, or a Python file with
options.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from llmplan.read import flags, shell
from llmplan.read.document import UNKNOWN, Document, Item, normal
from llmplan.read.flags import Word
from llmplan.read.formats import Format

_PYTHON = re.compile(r"(.*/)?python[\d.]*")
_FILE = re.compile(r".*\.(py|pyc)")
_CONFIGURED = re.compile(r".*\.(ya?ml|json|toml|yml)")
_INSTALLERS = frozenset({"pip", "pip3", "uv"})
_PIN = re.compile(r"([A-Za-z][\w.-]{0,60})(?:\[[\w,.-]{0,60}\])?==([0-9][\w.+-]{0,30})")
_OPTIONS_OF_PROGRAMS = 2
_SETTERS = frozenset({"-m", "--module"})


@frozen
class Launch:
    """One start of a program: its documents, the command on one line, and the file and line where it stands."""

    documents: tuple[Document, ...]
    shown: str
    place: tuple[str, int]


def launches(file: str, run: shell.Run, formats: Sequence[Format]) -> list[Launch]:
    """The launches among the commands of a script, in their order."""
    found = []
    pinned: dict[str, Item] = {}
    for command in run.commands:
        pinned |= _pinned(file, command.words)
        documents = _documents(file, command, formats)
        if documents:
            documents = [*documents, Document("installed", file, dict(pinned))] if pinned else documents
            shown = " ".join(word.text for word in command.words).replace(UNKNOWN, "…")
            placed = tuple(_placed(document, run) for document in documents)
            found.append(Launch(placed, shown, run.place(file, command.words[0].line)))
    return found


def _pinned(file: str, words: Sequence[Word]) -> dict[str, Item]:
    """The releases that `pip install` is told to take, by the names of packages."""
    texts = [word.text for word in words]
    if not any(text.rpartition("/")[2] in _INSTALLERS for text in texts[:3]) or "install" not in texts[:5]:
        return {}
    found = ((_PIN.fullmatch(word.text), word.line) for word in words)
    items = (Item(pin[1].lower(), pin[2], file, line) for pin, line in found if pin is not None)
    return {normal(item.key): item for item in items}


def _placed(document: Document, run: shell.Run) -> Document:
    """With the places of keys that stand in a script which this one starts or reads."""
    if not run.sourced and not run.before:
        return document
    places = {name: run.place(item.file, item.line) for name, item in document.items.items()}
    items = {name: evolve(item, file=places[name][0], line=places[name][1]) for name, item in document.items.items()}
    return evolve(document, items=items)


def directives(file: str, lines: Iterable[tuple[str, int]]) -> Document | None:
    """The options of `#SBATCH` lines."""
    words = []
    for line, number in lines:
        text = re.sub(r"\s#.*", "", line.removeprefix("#SBATCH"))
        try:
            parts = shlex.split(text)
        except ValueError:
            parts = text.split()
        words += [Word(part, number) for part in parts]
    return flags.document("sbatch", file, words) if words else None


def of_slurm(document: Document | None) -> dict[str, str]:
    """The variables that Slurm sets in a job, as far as its options say them."""
    if document is None:
        return {}

    def value(*names: str) -> str | None:
        return next((document.items[name].text for name in names if name in document.items), None)

    nodes, tasks, asked = value("nodes", "N"), value("ntasks_per_node"), value("gpus_per_node")
    counted = re.fullmatch(
        r"(?:gpu:)?(?:[A-Za-z][\w.-]*:)?(\d+)", asked or value("gres") or ""
    )  # `h100:4`, `gpu:h100:4`
    gpus = counted[1] if counted else None
    found = {
        "SLURM_NNODES": nodes,
        "SLURM_JOB_NUM_NODES": nodes,
        "SLURM_NTASKS_PER_NODE": tasks,
        "SLURM_GPUS_ON_NODE": gpus,
        "SLURM_GPUS_PER_NODE": asked or gpus,
    }
    if nodes is not None and tasks is not None and nodes.isdecimal() and tasks.isdecimal():
        found["SLURM_NTASKS"] = str(int(nodes) * int(tasks))
    return {name: value for name, value in found.items() if value is not None}


def _documents(file: str, command: shell.Command, formats: Sequence[Format]) -> list[Document]:
    words = list(command.words)
    if len(words) > 1 and _PYTHON.fullmatch(words[0].text) and words[1].text == "-":
        return []  # a program on standard input
    words = _launcher_first(words, formats)
    documents, at, last = _started(file, words, formats)
    program = _program(file, words[at:], last is not None)
    if last is not None and "*" not in last.ignored:  # it trains itself: options behind its first argument are its own
        started = documents[-1].items[f"${last.kind}"]
        program = [
            evolve(one, items={**one.items, started.key: started}) if one.syntax == "flags" else one for one in program
        ]
    documents += program
    if not documents:
        return []
    documents = [*_started(file, command.before, formats)[0], *documents]
    for syntax, variables in (("environment", command.environment), ("variables", command.variables)):
        items = [Item(name, word.text, file, word.line) for name, word in variables.items()]
        documents = [Document.of(syntax, file, items), *documents] if items else documents
    return documents


def _launcher_first(words: list[Word], formats: Sequence[Format]) -> list[Word]:
    """A program that starts its launcher itself, with what stands behind `--`, as if the launcher had started it."""
    behind = next((at for at, word in enumerate(words) if word.text == "--"), None)
    for program, option, *launchers in (one for format in formats for one in format.forwarded):
        own = program.split()
        if behind is None or [words[0].text.rpartition("/")[2], *(word.text for word in words[1 : len(own)])] != own:
            continue
        named = flags.document("flags", "", words[:behind]).items.get(option)
        wanted = launchers[0] if named is None else named.text or ""
        launcher = next((one.split() for one in launchers if one.split()[0] == wanted.split()[0]), None)
        if launcher is not None:
            return [*(Word(text, words[behind].line) for text in launcher), *words[behind + 1 :], *words[:behind]]
    return words


def _started(file: str, words: Sequence[Word], formats: Sequence[Format]) -> tuple[list[Document], int, Format | None]:
    """The options of the launchers among words, where those of the program begin, and the last launcher's format."""
    starts = sorted(_starts(words, formats), key=lambda start: start[0])
    documents: list[Document] = []
    at = 0
    last: Format | None = None
    for number, (begin, length, format) in enumerate(starts):
        if begin < at:
            continue
        last = format
        at = begin + length
        end = starts[number + 1][0] if number + 1 < len(starts) else None
        taken, at = _options(words, at, end, format)
        program = tuple(word.text for word in words[begin : begin + length])
        options = flags.document("flags", file, taken, program, format.switches)
        started = Item(f"${format.kind}", " ".join(program), file, words[begin].line)
        documents.append(Document(options.syntax, file, {**options.items, started.key: started}, program))
    return documents, at, last


def _starts(words: Sequence[Word], formats: Sequence[Format]) -> Iterator[tuple[int, int, Format]]:
    """Where launchers stand: before the first Python file, as whole words."""
    for format in formats:
        for launcher in format.launchers:
            for at in range(len(words)):
                if _FILE.fullmatch(words[at].text):
                    break
                length = _matched(words, at, launcher)
                if length:
                    yield at, length, format
                    break


def _matched(words: Sequence[Word], at: int, launcher: Sequence[str]) -> int:
    """How many words a launcher takes at a place, 0 if it is not there; `python` may have options of its own."""
    begin = at
    for number, wanted in enumerate(launcher):
        if number and wanted == "-m":
            while at < len(words) and re.fullmatch(r"-[uOBsSE]+", words[at].text):
                at += 1
        if at >= len(words):
            return 0
        text = words[at].text
        name = text.rpartition("/")[2] if not number else text
        if not (name == wanted or (wanted == "python" and not number and _PYTHON.fullmatch(text))):
            return 0
        at += 1
    return at - begin


def _options(words: Sequence[Word], at: int, end: int | None, format: Format) -> tuple[list[Word], int]:
    """The options of a launcher, which end where the program begins."""
    taken: list[Word] = []
    limit = len(words) if end is None else end
    while at < limit:
        word = words[at]
        if not word.text.startswith("-") or word.text in ("-m", "--"):
            if end is None:
                break
            at += 1
            continue
        name = word.text.lstrip("-").partition("=")[0].replace("-", "_")
        taken.append(word)
        at += 1
        alone = "=" in word.text or name in format.switches
        if not alone and at < limit and not flags.is_option(words[at].text) and not _FILE.fullmatch(words[at].text):
            taken.append(words[at])
            at += 1
    return taken, at


def _program(file: str, words: Sequence[Word], launched: bool) -> list[Document]:
    """The options of the program that words begin with, and the program itself with its arguments as they stand."""
    at = 0
    while at < len(words) and (_PYTHON.fullmatch(words[at].text) or re.fullmatch(r"-[uOBsSE]+|--", words[at].text)):
        at += 1
    python = at > 0
    if at < len(words) and words[at].text in _SETTERS:
        at += 1
    if at >= len(words):
        return []
    begin = at
    names: list[str] = []
    while at < len(words) and not flags.is_option(words[at].text) and "=" not in words[at].text:
        names.append(words[at].text)
        at += 1
    if not names or names[0] == "-":
        return []  # a program on standard input
    is_file = _FILE.fullmatch(names[0]) is not None
    options = flags.document("flags", file, words[at:], tuple(names))
    if (
        not launched
        and not python
        and not is_file
        and len(options.items) < _OPTIONS_OF_PROGRAMS
        and not any("." in name for name in options.items)  # `--training.steps 100`, of a configuration
        and not any(_CONFIGURED.fullmatch(name) for name in names)
    ):
        return []
    stem = re.sub(r"\.py$", "", names[0].rpartition("/")[2])
    items: Mapping[str, Item] = {
        **options.items,
        f"${stem.replace('-', '_')}": Item(f"${stem}", " ".join(names), file, words[begin].line),
    }
    started = [Item("$program", names[0], file, words[begin].line)]
    if len(words) > begin + 1:
        text = " ".join(word.text for word in words[begin + 1 :])
        started.append(Item("$arguments", text, file, words[begin + 1].line))
    return [
        Document("flags", file, dict(items), tuple(names), options.repeated),
        Document.of("program", file, started),
    ]
