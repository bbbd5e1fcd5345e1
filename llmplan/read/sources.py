"""Texts told apart by what they hold, and the documents in each.

A shell script is read for its launches and the files that it writes; a manifest's commands are read as a script's,
and so is a plain list of options.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence

from attrs import evolve, field, frozen, mutable

from llmplan.read import flags, python_calls, shell, toml, tree
from llmplan.read.document import MOST_CHARACTERS, UNKNOWN, Document, Item, Unreadable
from llmplan.read.flags import Word
from llmplan.read.formats import Format
from llmplan.read.launches import Launch, directives, launches, of_slurm

_OPTIONS = re.compile(r"\s*(#[^\n]*\n\s*)*--[A-Za-z]")
_HOST = re.compile(r"[\w.@:-]+[ \t]+slots[ \t]*=[ \t]*\d+.*")
_TABLE = re.compile(r"^[ \t]*\[\[?[\w.\"-]+\]\]?\s*(#.*)?$", re.MULTILINE)
_SHEBANG = re.compile(r"#!.*\b(ba|z|k|da)?sh\b")
_CALLS = re.compile(
    r"^[ \t]*((from|import|def|class)[ \t]+\w|\w+[ \t]*=[ \t]*\w[\w.]*\(|\w[\w.]*\([ \t]*$)", re.MULTILINE
)
_COMMAND_KEYS = ("command", "args")
_COMMANDS = frozenset({"flags"})


_Scripts = Mapping[str, shell.Script]


@frozen
class Failed:
    """A file that could not be read."""

    file: str
    why: str
    line: int


@mutable
class Gathered:
    """What files hold.

    Attributes:
        documents: Those that stand in files; the options of launches are in `launches`.
        unread: Lines of scripts that are not understood, or that would run something: file, line and text.
        sourced: The names of scripts that others start or read.
        written: The names of files that scripts write.
        missing: Scripts that others start and that were not given: file, line and name.
    """

    documents: list[Document] = field(factory=list)
    launches: list[Launch] = field(factory=list)
    unread: list[tuple[str, int, str]] = field(factory=list)
    failed: list[Failed] = field(factory=list)
    sourced: set[str] = field(factory=set)
    written: set[str] = field(factory=set)
    missing: list[tuple[str, int, str]] = field(factory=list)


def gather(files: Sequence[tuple[str, str]], formats: Sequence[Format]) -> Gathered:
    """The documents of files, each a name and a text. A script that another one starts or reads
    stands in its place there."""
    scripts = {name.rpartition("/")[2]: shell.Script(name, text) for name, text in files}
    each: dict[str, Gathered] = {}
    for name, text in files:
        each[name] = found = Gathered()
        try:
            if len(text) > MOST_CHARACTERS:
                raise Unreadable("it is too long to be a configuration")
            _file(name, text, formats, found, {key: one for key, one in scripts.items() if one.name != name})
        except Unreadable as why:
            found.failed.append(Failed(name, str(why), why.line))
    sourced = {name for found in each.values() for name in found.sourced}
    all = Gathered(sourced=sourced)
    for name, found in each.items():
        if name not in sourced:
            all.documents += found.documents
            all.launches += found.launches
            all.unread += found.unread
            all.failed += found.failed
            all.written |= found.written
            all.missing += found.missing
    return all


def runs(gathered: Gathered, formats: Sequence[Format]) -> list[Launch]:
    """The launches of a training: a program without launcher and format prepares something beside one that has."""

    def known(document: Document) -> bool:
        return any(not format.otherwise and format.fits(document) for format in formats if format.syntaxes & _COMMANDS)

    trained = [launch for launch in gathered.launches if any(known(document) for document in launch.documents)]
    return trained or gathered.launches


def in_common(launches: Sequence[Launch]) -> tuple[Document, ...]:
    """What several launches say alike: keys that differ are known to none."""
    first, *others = launches
    found = []
    for number, document in enumerate(first.documents):
        same = [one.documents[number] for one in others if number < len(one.documents)]
        same = [one for one in same if one.syntax == document.syntax]
        if len(same) < len(others):
            continue
        items = {
            name: item
            if all(name in one.items and one.items[name].shown == item.shown for one in same)
            else evolve(item, text=UNKNOWN, items=None)
            for name, item in document.items.items()
        }
        found.append(evolve(document, items=items))
    return tuple(found)


def _file(name: str, text: str, formats: Sequence[Format], found: Gathered, others: _Scripts) -> None:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.strip():
        raise Unreadable("it is empty")
    if _lists_hosts(text):
        found.documents.append(_hosts(name, text))
    elif _OPTIONS.match(text):
        found.documents.append(flags.document("flags", name, list(_words(text)), (name,)))
    elif _SHEBANG.match(text) or re.search(r"\.(sh|bash|sbatch|slurm|sub)$", name):
        _script(name, text, formats, found, others)
    else:
        _by_trial(name, text, formats, found, others)


def _lists_hosts(text: str) -> bool:
    """Whether a text is a hostfile: each line a machine with its slots, but for comments and blank lines."""
    lines = [line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#")]
    return bool(lines) and all(_HOST.fullmatch(line) for line in lines)


def _by_trial(
    name: str, text: str, formats: Sequence[Format], found: Gathered, others: Mapping[str, shell.Script]
) -> None:
    """A text without a sign of its own: each syntax in turn, first the one that its name says."""
    syntaxes: list[tuple[str, Callable[[str, str], list[Document]]]] = []
    braces = text.lstrip()[:1] == "{" or text.lstrip()[:2] in ("//", "/*")
    if braces:
        syntaxes.append(("json", tree.documents))
    elif _TABLE.search(text):
        syntaxes += [("toml", toml.documents), ("yaml", tree.documents)]
    elif _CALLS.search(text) and not re.search(r"\.ya?ml$", name):
        syntaxes += [("python", python_calls.documents), ("yaml", tree.documents)]
    else:
        syntaxes.append(("yaml", tree.documents))
    failed: Unreadable | None = None
    for _, read in syntaxes:
        try:
            documents = read(name, text)
        except Unreadable as why:
            failed = failed or why
            continue
        for document in documents:
            _manifest(document, formats, found, others)
            found.documents += _opened(document, formats)
        return
    if not braces and not re.search(r"\.(ya?ml|json|toml|py)$", name):
        before = len(found.launches), len(found.documents)
        _script(name, text, formats, found, others)
        if (len(found.launches), len(found.documents)) != before:
            return
    assert failed is not None
    raise failed


def _opened(document: Document, formats: Sequence[Format]) -> list[Document]:
    """A document, and those of other formats that its keys hold."""
    found = [document]
    for format in formats:
        for key in format.inside:
            items = {name: item for name, item in found[0].items.items() if name.startswith(f"{key}.")}
            inner = Document(
                document.syntax,
                document.file,
                {name[len(key) + 1 :]: evolve(item, key=item.key[len(key) + 1 :]) for name, item in items.items()},
            )
            if items and format.fits(inner):
                rest = {name: item for name, item in found[0].items.items() if name not in items}
                found = [evolve(found[0], items=rest), *found[1:], inner]
    return found


def _script(name: str, text: str, formats: Sequence[Format], found: Gathered, others: _Scripts) -> None:
    comments = [(line, number) for number, line in enumerate(text.splitlines(), 1) if line.startswith("#SBATCH")]
    job = directives(name, comments)
    if job is not None:
        found.documents.append(job)
    run = shell.read(text, of_slurm(job), others)
    _ran(name, run, formats, found, others)
    found.unread += [(*run.place(name, line), odd) for odd, line in run.unread]


def _ran(name: str, run: shell.Run, formats: Sequence[Format], found: Gathered, others: _Scripts) -> None:
    """What a script starts, and the configurations that it writes; one that is given as a file too is read there."""
    found.sourced.update(run.sourced.values())
    found.launches += launches(name, run, formats)
    found.written.update(written.name.rpartition("/")[2] for written in run.files)
    found.missing += [(*run.place(name, line), script) for script, line in run.missing]
    for written in run.files:
        if written.name.rpartition("/")[2] in others:
            continue
        file, line = run.place(name, written.line)
        try:
            inner = Gathered()
            _by_trial(file, written.text, formats, inner, {})
            known = [one for one in inner.documents if any(format.fits(one) for format in formats)]
            found.documents += [_moved(document, line - 1) for document in known]
        except Unreadable:
            continue  # a text that is no configuration: a notice, a list of hosts


def _moved(document: Document, lines: int) -> Document:
    items = {name: evolve(item, line=item.line + lines) for name, item in document.items.items()}
    return evolve(document, items=items)


def _manifest(document: Document, formats: Sequence[Format], found: Gathered, others: _Scripts) -> None:
    """The commands that a manifest holds: lists of words under `command` and `args`, scripts under `run`."""
    names = document.items
    pods = "kind" in names and "apiVersion" in names
    if not pods and not any(name.startswith(("resources.", "compute.")) for name in names):
        return
    words: dict[str, list[Word]] = {}
    variables: dict[str, str] = {}
    scripts: list[Word] = []
    for name, item in names.items():
        owner, _, last = name.rpartition(".")
        if last in _COMMAND_KEYS and item.items is not None:
            words.setdefault(owner, []).extend(Word(one, item.line) for one in item.items)
        elif last in ("run", "command") and item.text is not None:
            scripts.append(Word(item.text, item.line))
        elif last == "name" and f"{owner}.value" in names and ".env." in f".{name}":
            variables[item.text or ""] = names[f"{owner}.value"].text or UNKNOWN
        elif name.startswith("envs."):
            variables[last] = item.text if item.text is not None else UNKNOWN
    for said in words.values():
        text = " ".join(shlex.quote(_replaced(word.text, variables) if pods else word.text) for word in said)
        scripts.append(Word(text, next((word.line for word in said if "\n" in word.text), said[0].line)))
    # A master and its workers run one training.
    for script in {script.text: script for script in reversed(scripts)}.values():
        run = shell.read(script.text, variables, others)
        run.before = script.line - 1
        _ran(document.file, run, formats, found, others)


def _replaced(text: str, variables: Mapping[str, str]) -> str:
    """A word of a container as Kubernetes starts it: `$(NAME)` is a variable of it, `$$` a `$`."""
    named = re.sub(r"(?<!\$)\$\(([A-Za-z_]\w*)\)", lambda match: variables.get(match[1], match[0]), text)
    return named.replace("$$", "$")


def _words(text: str) -> Iterable[Word]:
    for number, line in enumerate(text.splitlines(), 1):
        try:
            parts = shlex.split(line.rstrip().rstrip("\\"), comments=True)
        except ValueError:
            parts = line.split()
        yield from (Word(part, number) for part in parts)


def _hosts(name: str, text: str) -> Document:
    slots = [
        (int(match[1]), number)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := re.match(r"\s*[^#\s]\S*\s+slots\s*=\s*(\d{1,6})", line))
    ]
    line = slots[0][1]
    items = [
        Item("hosts", str(len(slots)), name, line),
        Item("slots", None, name, line, items=tuple(str(count) for count, _ in slots)),
    ]
    return Document.of("hostfile", name, items)
