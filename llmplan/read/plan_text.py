"""The plan that says what files say, as a person would write it; below it what became of all other keys."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from attrs import frozen

from llmplan.escape import visible_line
from llmplan.read.document import Item
from llmplan.read.library import Input, Library
from llmplan.read.reading import DECIDED_ELSEWHERE, NOT_KNOWN, Fate, Found, Reading
from llmplan.read.values import FILE, Data, Member, is_path
from llmplan.read.values import Written as Formula
from llmplan.read.withheld import EMIT
from llmplan.units import amount

_BLOCKS = ("model", "dataset", "training", "parallelism", "adapter", "reference", "serving", "hardware", "launch")
_WIDTH = 110
_PLACES = 3
_LARGER = {
    "s": (("days", 86_400), ("h", 3_600), ("minutes", 60)),
    "byte": (("TB", 10**12), ("GB", 10**9), ("GiB", 2**30), ("MiB", 2**20)),
}
_LONGEST = 60


@frozen
class Assumed:
    """An input that no file says: the default of the software that reads them."""

    path: str
    value: Data
    unit: str
    text: str


@frozen
class Written:
    """A plan.

    Attributes:
        assumed: Its inputs that are defaults of the software, those that are the library's too among them.
        rejected: What the files say and no plan can, with why.
    """

    text: str
    assumed: tuple[Assumed, ...]
    rejected: tuple[tuple[Found, str], ...]


def written(
    reading: Reading,
    library: Library,
    asked: Sequence[str],
    unread: Sequence[tuple[str, int, str]],
    files: Sequence[str],
    withheld: Iterable[tuple[str, tuple[str, ...]]] = (),
) -> Written:
    """The text of the plan.

    Args:
        asked: Inputs that are written as `?` where nothing says them.
        unread: Lines of scripts that are not understood.
        withheld: Targets that the plan does not emit, with the inputs that nothing says.
    """
    return _Plan(reading, library, tuple(asked), tuple(unread), tuple(files), tuple(withheld)).written()


class _Plan:
    def __init__(
        self,
        reading: Reading,
        library: Library,
        asked: tuple[str, ...],
        unread: tuple[tuple[str, int, str], ...],
        files: tuple[str, ...],
        withheld: tuple[tuple[str, tuple[str, ...]], ...],
    ) -> None:
        self.reading = reading
        self.library = library
        self.asked = asked
        self.unread = unread
        self.files = files
        self.withheld = withheld
        self.assumed: list[Assumed] = []
        self.same: list[str] = []
        self.rejected: list[tuple[Found, str]] = []

    def written(self) -> Written:
        blocks = [*self._chosen(), *(block for name in _BLOCKS for block in self._block(name))]
        targets = sorted(path.removeprefix(EMIT) for path, found in self._said(EMIT) if found.value.data is True)
        blocks += [self._target(target) for target in targets]
        lines = [f"# What {_listed(self.files)} say{'s' * (len(self.files) == 1)}, as far as a plan can say it."]
        for block in blocks:
            wide = max(len(text) for text, note in block)
            lines.append("")
            lines += [f"{text.ljust(wide)}  # {note}" if note else text for text, note in block]
        lines += self._remarks()
        return Written("\n".join(lines) + "\n", tuple(self.assumed), tuple(self.rejected))

    def _target(self, name: str) -> list[tuple[str, str]]:
        """What is to be written, with the options that the files say."""
        inner = [line for block in self._block(name) for line in block[1:-1]]
        return [(f"emit {name} {{", ""), *inner, ("}", "")] if inner else [(f"emit {name}", "")]

    def _said(self, prefix: str) -> Iterator[tuple[str, Found]]:
        for path, found in self.reading.found.items():
            if path.startswith(prefix):
                yield path, found

    def _chosen(self) -> Iterator[list[tuple[str, str]]]:
        """The entries of the catalog that the plan names by themselves: its model and its stack."""
        lines = []
        for kind in ("model", "stack"):
            found = self.reading.found.get(kind)
            if found is None:
                continue
            name, note = str(found.value.data), noted(found)
            if found.value.unit == FILE:
                lines.append((f"{kind} from {_quoted(self.library.path(name))}", note))
                continue
            entry, near = self.library.entry(kind, name)
            if entry is None:
                like = f": it may be {_listed(near[:3])}" if near else ""
                self.rejected.append((found, f"the catalog has no {kind} of this name{like}"))
                continue
            lines.append(
                (f"{kind} {_quoted(entry)}", f"{note}, by its name")
                if is_path(name)
                else (f"{kind} {_quoted(name)}", note)
            )
        if lines:
            yield lines

    def _block(self, name: str) -> Iterator[list[tuple[str, str]]]:
        lines: list[tuple[str, str]] = []
        for path, input in self.library.inputs.items():
            if path.partition(".")[0] != name:
                continue
            found = self.reading.found.get(path)
            text = self._value(found, input) if found is not None else None
            if found is None or text is None:
                if path in self.asked:
                    lines.append((f"    {path.partition('.')[2]} = ?", "no file says it"))
                continue
            if found.release:
                self.assumed.append(Assumed(path, found.value.data, _unit(input), text))
            if input.default is not None and _same(found.value.data, input.default):
                if found.release:
                    self.same.append(f"{path} = {text}")
                    continue
                if not found.value.items:
                    continue
            lines.append((f"    {path.partition('.')[2]} = {text}", noted(found)))
        if lines:
            yield [(f"{name} {{", ""), *lines, ("}", "")]

    def _value(self, found: Found, input: Input) -> str | None:
        """A value as a plan writes it; None, and rejected, where no plan can."""
        data = found.value.data
        if isinstance(data, Formula):
            return str(data)
        match input.form:
            case "number" if isinstance(data, Fraction):
                if input.base and data:
                    return _measured(data, input.base)
                unit = f" {input.units[1]}{'s' * (data != 1)}" if len(input.units) > 1 else ""
                return amount.in_plan(data) + unit
            case "word" if isinstance(data, bool):
                return "true" if data else "false"
            case "word" if isinstance(data, str):
                return str(data)
            case "text" if isinstance(data, str):
                return _quoted(data)
            case "entry" if isinstance(data, str):
                return self._entry(found, input, data)
            case "entries" if isinstance(data, tuple):
                names = [self.library.entry(input.kind, item)[0] for item in data]
                if data and all(name is not None for name in names):
                    return f"[{', '.join(_quoted(str(name)) for name in dict.fromkeys(names))}]"
        self.rejected.append((found, "no plan has this value"))
        return None

    def _entry(self, found: Found, input: Input, name: str) -> str | None:
        entry, near = self.library.entry(input.kind, name)
        if entry is None:
            like = f": it may be {_listed(near[:3])}" if near else ""
            self.rejected.append((found, f"the catalog has no {input.kind} of this name{like}"))
            return None
        return _quoted(entry)

    def _remarks(self) -> Iterator[str]:
        """What is not in the plan: keys by what became of them, lines of scripts, defaults that need no line."""
        rejected = {item: why for found, why in self.rejected for item in found.value.items[:1]}
        groups: dict[str, list[str]] = {}
        for fate in self.reading.fates:
            title = _title(fate, rejected)
            if title:
                groups.setdefault(title, []).append(_shown(fate.item))
        for file, line, text in self.unread:
            groups.setdefault("Lines that are not understood, or would run something", []).append(
                f"{_cut(text)} ({file}:{line})"
            )
        for target, missing in self.withheld:
            groups.setdefault(_WITHHELD, []).append(f"emit {target}: {', '.join(missing)}")
        if self.same:
            groups["Defaults of the software that are the library's too"] = self.same
        for title in sorted(groups, key=lambda title: (_ORDER.get(title, 1), title)):
            yield ""
            yield f"# {title}:"
            for entry in _filled(groups[title]) if title in _TOGETHER else groups[title]:
                yield f"#   {entry}"


def noted(found: Found) -> str:
    """Where a value comes from."""
    places = [*dict.fromkeys(item.place for item in found.value.items if item.file)]
    if found.release:
        return "as no file names a release" if found.path == _STACK else f"default of {found.release}"
    if not places:
        return "on the command line"
    more = f" and {amount.count(len(places) - _PLACES)} more" if len(places) > _PLACES else ""
    return ", ".join(places[:_PLACES]) + more


_STACK = "stack"
"""Its entry is named after a release itself."""

_FREE = "Not mapped, as it changes neither memory nor the time of a step"
_ELSEWHERE = "Not mapped, as it says nothing, or another key decides"
_LATER = "Not mapped, as only a run tells it"
_TOGETHER = frozenset({_FREE, _ELSEWHERE, _LATER, "Defaults of the software that are the library's too"})
_UNKNOWN = "Not mapped, as it is not understood"
_WITHHELD = "Not written by `llmplan compile`, as nothing says what it needs"
_ORDER = {
    _WITHHELD: 0,
    _UNKNOWN: 2,
    "Lines that are not understood, or would run something": 3,
    _LATER: 4,
    _ELSEWHERE: 5,
    _FREE: 6,
}


def _title(fate: Fate, rejected: dict[Item, str]) -> str:
    if fate.item in rejected:
        return f"Not mapped, as {rejected[fate.item]}"
    match fate.fate:
        case "unmodelled":
            return f"Not mapped, as no plan says it: {fate.why}"
        case "unknown":
            return _UNKNOWN
        case "free" if fate.why == DECIDED_ELSEWHERE:
            return _ELSEWHERE
        case "free" if fate.why == NOT_KNOWN:
            return _LATER
        case "free":
            return _FREE
    return ""


def _shown(item: Item) -> str:
    return f"{visible_line(item.key)} = {_cut(item.shown)} ({item.place})"


def _cut(text: str) -> str:
    text = visible_line(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _filled(entries: Iterable[str]) -> list[str]:
    """Short entries several to a line."""
    joined = ", ".join(entry.replace(" ", "\0") for entry in entries)
    return [
        line.replace("\0", " ")
        for line in textwrap.wrap(joined, _WIDTH, break_long_words=False, break_on_hyphens=False)
    ]


def _listed(names: Sequence[str]) -> str:
    names = [visible_line(name) for name in names]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nothing"


def _quoted(text: str) -> str:
    text = visible_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _measured(data: Fraction, base: str) -> str:
    """A number in the largest unit in which it is whole: `20 h`, `512 GiB/node`."""
    own, slash, rest = base.partition("/")
    for unit, factor in (*_LARGER.get(own, ()), (own, 1)):
        if (data / factor).denominator == 1 or factor == 1:
            return f"{amount.in_plan(data / factor)} {unit}{slash}{rest}"
    raise AssertionError(base)


def _unit(input: Input) -> str:
    return input.units[-1] if input.units and input.units[-1] not in ("Int", "Real") else ""


def _same(one: Data, other: Data) -> bool:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return abs(one - other) <= abs(other) * Fraction(1, 10**12)
    return type(one) in (type(other), Member, str) and one == other
