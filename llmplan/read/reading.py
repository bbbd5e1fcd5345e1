"""Documents → the inputs of a plan: each by the formulas of the formats that are there, by their precedence.

What a command line of ours gives wins over all files. Among formats the one that is over another wins; otherwise two
that differ contradict each other. A default of the software counts only where no file says anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from attrs import evolve, field, frozen, mutable

from llmplan.read.document import Document, Item, normal
from llmplan.read.formats import Format, Reader, fits_any
from llmplan.read.formulas import Formulas
from llmplan.read.keys import Keys
from llmplan.read.library import Input
from llmplan.read.numbers import unequal
from llmplan.read.values import Unknown, Unsaid, Value
from llmplan.syntax import nodes

_FILE = re.compile(r"[^\s{}]+\.(json|ya?ml|toml|conf)")
_VARIABLES = frozenset({"environment", "variables", "program", "installed"})
"""Syntaxes of documents whose keys are a script's own, but for those that a format names."""

DECIDED_ELSEWHERE = "another key decides"
NOT_KNOWN = "not known before a run"
NOT_GIVEN = "the file that it names is not given"


@frozen
class Fate:
    """What became of a key: `mapped`, `carried`, `free`, `unmodelled` or `unknown`; the input that it sets, or why
    not."""

    item: Item
    fate: str
    field: str = ""
    why: str = ""


@frozen
class Contradiction:
    """Two places that say different things of an input."""

    path: str
    first: Value
    second: Value
    why: str = ""
    numbers: str = ""

    @property
    def told(self) -> str:
        """Why they cannot be together, with the numbers where it is about these."""
        return f"{self.why}: {self.numbers}" if self.numbers else self.why


@frozen
class Refused:
    """A key that makes a plan impossible."""

    item: Item
    why: str


@frozen
class Found:
    """An input that the files, or the defaults of their software, decide."""

    path: str
    value: Value
    release: str
    """The software whose default it is; empty for what a file says."""


@frozen
class Reading:
    """What files say of a plan."""

    found: dict[str, Found]
    fates: tuple[Fate, ...]
    contradictions: tuple[Contradiction, ...]
    doubts: tuple[Contradiction, ...]
    """What software is known to fail at, in some of its releases at least."""
    refused: tuple[Refused, ...]
    kinds: tuple[str, ...]
    unrecognised: tuple[Document, ...]
    ambiguous: tuple[tuple[Document, tuple[str, ...]], ...]


def read(
    documents: Sequence[Document], readers: Sequence[Reader], given: Mapping[str, Value], inputs: Mapping[str, Input]
) -> Reading:
    """What documents say.

    Args:
        given: Inputs from the command line, which win.
        inputs: Those that a plan may set.
    """
    formats = {format.kind: format for reader in readers for format in reader.formats}
    kinds: dict[str, list[Document]] = {}
    unrecognised: list[Document] = []
    ambiguous: list[tuple[Document, tuple[str, ...]]] = []
    of: dict[int, list[str]] = {}
    fitting = {id(one): [format.kind for format in formats.values() if format.fits(one)] for one in documents}
    for document in documents:
        fits = fitting[id(document)]
        if document.program:
            own = _of_named(document, documents, fitting, formats)
            if own and not set(own) & set(fits):
                fits = [*(kind for kind in fits if _shared(formats[kind])), *own]
        if document.program and not any(not _shared(formats[kind]) for kind in fits):
            fits += [format.kind for format in formats.values() if format.otherwise and not fits]
        files = [kind for kind in fits if not _shared(formats[kind])]
        if len(files) > 1:
            files = _above(files, formats)
        if len(files) > 1:
            ambiguous.append((document, tuple(files)))
        if not fits:
            unrecognised.append(document)
        of[id(document)] = fits
        for kind in fits:
            kinds.setdefault(kind, []).append(document)
    parents = {document.file: _parents(document) for document in documents}
    named = {document.file.rpartition("/")[2]: document.file for document in documents}
    keys = Keys(
        {kind: (format, _parents_first(kinds.get(kind, ()), parents)) for kind, format in formats.items()},
        frozenset(named[name] for names in parents.values() for name in names if name in named),
        frozenset(
            kind for kind, ones in kinds.items() for one in ones if any(name not in named for name in parents[one.file])
        ),
    )
    there = [
        reader for reader in readers if not reader.formats or any(format.kind in kinds for format in reader.formats)
    ]
    merged = _Merged(keys, formats, there, given, _named(formats, kinds, inputs))
    found = merged.all()
    broken = merged.broken(nodes.Require)
    explained = {item for one in broken for item in (*one.first.items, *one.second.items)}
    contradictions = [
        *(Contradiction(name, one, other) for name, one, other in dict.fromkeys(keys.twice)),
        *(one for one in merged.contradictions.values() if not explained & {*one.first.items, *one.second.items}),
        *broken,
    ]
    carried = [pattern for reader in readers for pattern in reader.carried]
    fates, refused = _fates(documents, of, formats, keys, found, carried)
    return Reading(
        found,
        tuple(fates),
        tuple(contradictions),
        tuple(merged.broken(nodes.Prefer)),
        tuple(refused),
        tuple(kinds),
        tuple(unrecognised),
        tuple(ambiguous),
    )


def _of_named(
    command: Document,
    documents: Sequence[Document],
    fitting: Mapping[int, Sequence[str]],
    formats: Mapping[str, Format],
) -> list[str]:
    """The formats of the files that a command names: its further options are keys of theirs, as in
    `train.py config.yaml --max_steps 10`."""
    words = [*command.program[1:]]
    for item in command.items.values():
        words += item.items if item.items is not None else (item.text or "",)
    names = {word.rpartition("/")[2] for word in words}
    kinds = [
        kind
        for document in documents
        if not document.program and document.file.rpartition("/")[2] in names
        for kind in fitting[id(document)]
        if command.syntax in formats[kind].syntaxes and not _shared(formats[kind])
    ]
    return list(dict.fromkeys(kinds))


def _named(
    formats: Mapping[str, Format], kinds: Mapping[str, Sequence[Document]], inputs: Mapping[str, Input]
) -> dict[str, Value]:
    """The inputs that documents hold by their own paths: `LLMPLAN_TRAINING_ATTENTION` is `training.attention`."""
    found: dict[str, Value] = {}
    for kind, documents in kinds.items():
        format = formats[kind]
        if not format.prefix:
            continue
        items = {name: item for document in documents for name, item in document.items.items() if item.known}
        for path, input in inputs.items():
            name = normal(format.prefix + path.upper().replace(".", "_"))
            if (
                name in items
                and name not in format.declared
                and (data := input.read(items[name].text or "")) is not None
            ):
                found[path] = Value(data, input.units[-1] if input.units else None, (items[name],), frozenset({kind}))
    return found


def _parents(document: Document) -> tuple[str, ...]:
    """The names of the files whose keys a document replaces."""
    item = document.items.get("defaults")
    if item is None or document.syntax != "yaml":
        return ()
    texts = item.items if item.items is not None else (item.text or "",)
    names = [text.rpartition("/")[2] for text in texts if text != "_self_" and text]
    return tuple(name if "." in name else f"{name}.yaml" for name in names)


def _parents_first(documents: Sequence[Document], parents: Mapping[str, tuple[str, ...]]) -> tuple[Document, ...]:
    order: list[Document] = []
    left = list(documents)
    while left:
        named = {document.file.rpartition("/")[2] for document in left}
        free = [one for one in left if not named & set(parents[one.file]) - {one.file.rpartition("/")[2]}] or left
        order += free
        left = [one for one in left if one not in free]
    return tuple(order)


def _shared(format: Format) -> bool:
    """Whether a document may be of this format beside another: a launcher, a job's options, or one that tells only
    which program was started, as `llmplan_train.py`, whose options are those of what trains in it.
    """
    return (
        bool(format.launchers)
        or not any(format.recognised)
        or format.syntaxes <= _VARIABLES | {"sbatch"}
        or all(name.startswith("$") for name in _names(format))
    )


def _above(kinds: Sequence[str], formats: Mapping[str, Format]) -> list[str]:
    """Formats of which none is over another: `trl` reads what `hf` reads too."""
    below = {other for kind in kinds for other in formats[kind].over}
    return [kind for kind in kinds if kind not in below]


@mutable
class _Merged:
    keys: Keys
    formats: Mapping[str, Format]
    readers: Sequence[Reader]
    given: Mapping[str, Value]
    named: Mapping[str, Value]
    known: dict[str, Found | None] = field(factory=dict)
    open: list[str] = field(factory=list)
    partial: set[str] = field(factory=set)
    unknown: set[str] = field(factory=set)
    contradictions: dict[str, Contradiction] = field(factory=dict)

    def all(self) -> dict[str, Found]:
        paths = dict.fromkeys(
            [*self.given, *(line.path for reader in self.readers for line in reader.lines), *self.named]
        )  # in the order of the files
        return {path: found for path in paths if (found := self.of(path)) is not None}

    def path(self, path: str) -> Value:
        found = self.of(path)
        if found is None:
            raise Unknown(path) if path in self.unknown else Unsaid(path)
        return found.value if not found.release else evolve(found.value, default=found.release)

    def of(self, path: str) -> Found | None:
        """The value of an input, None where nothing says it."""
        if path in self.given:
            return Found(path, self.given[path], "")
        if path not in self.known:
            if path in self.open:
                # What is being asked for leads back here: what lies between is known only as far as it does not.
                self.partial.update(self.open[self.open.index(path) + 1 :])
                raise Unsaid(path)
            self.open.append(path)
            try:
                found = self._chosen(path)
            finally:
                self.open.pop()
            if path in self.partial or (found is None and self.open):
                self.partial.discard(path)
                return found  # asked again later
            self.known[path] = found
        return self.known[path]

    def _chosen(self, path: str) -> Found | None:
        said = [self.named[path]] if path in self.named else []
        usual: list[Found] = []
        for reader in self.readers:
            formulas = Formulas(self.keys, self.path, reader.lets)
            for line in reader.lines:
                if line.path != path:
                    continue
                if not all(self.keys.present(kind).data for kind in line.where):
                    continue
                try:
                    value = formulas.value(line.value)
                except Unknown:
                    self.unknown.add(path)
                    continue
                except Unsaid:
                    continue
                if value.items and value.default is None:
                    said.append(value)
                else:
                    usual.append(Found(path, value, value.default or line.release))
        if not said:
            return usual[0] if usual and path not in self.unknown else None
        best = [value for value in said if not any(self._over(other, value) for other in said)] or said
        for other in best[1:]:
            if other.data != best[0].data:
                self.contradictions.setdefault(path, Contradiction(path, best[0], other))
        agreeing = [value for value in said if value.data == best[0].data]
        return Found(path, best[0].beside(*agreeing[1:]) if agreeing else best[0], "")

    def _over(self, one: Value, other: Value) -> bool:
        """Whether a value comes from a format that is over all of another's."""
        over = {kind for mine in one.kinds for kind in self.formats[mine].over}
        return bool(other.kinds) and not one.kinds & other.kinds and ("*" in over or bool(other.kinds & over))

    def broken(self, rules: type[nodes.Require | nodes.Prefer]) -> list[Contradiction]:
        """The requirements, or preferences, of the formats that their keys break."""
        found = []
        for reader in self.readers:
            formulas = Formulas(self.keys, self.path, reader.lets)
            for rule in reader.rules:
                if not isinstance(rule, rules):
                    continue
                try:
                    case = formulas.value(rule.when) if rule.when is not None else None
                    if case is not None and not case.data:
                        continue
                    holds = formulas.value(rule.condition)
                except Unsaid:
                    continue
                if not holds.data:
                    name = rule.name.text if rule.name is not None else reader.folder
                    why = rule.because.plain if rule.because is not None and rule.because.plain else ""
                    sides = _sides(rule.condition, formulas)
                    other = sides if sides is not None and sides.items else case
                    numbers = unequal(rule.condition, formulas)
                    found.append(Contradiction(name, holds, other if other is not None else holds, why, numbers))
        return found


def _sides(condition: nodes.Expr, formulas: Formulas) -> Value | None:
    """The right side of a comparison, whose places are shown beside the left's."""
    if not isinstance(condition, nodes.Compare):
        return None
    try:
        return formulas.value(condition.rest[-1][1])
    except Unsaid:
        return None


def _fates(
    documents: Sequence[Document],
    of: Mapping[int, Sequence[str]],
    formats: Mapping[str, Format],
    keys: Keys,
    found: Mapping[str, Found],
    carried: Sequence[str],
) -> tuple[list[Fate], list[Refused]]:
    """The fate of every key, in the order of the files."""
    uses: dict[Item, str] = {}
    for path, one in found.items():
        for item in one.value.items:
            if item not in uses or fits_any(uses[item], carried):
                uses[item] = path
    declared = {name for format in formats.values() if format.syntaxes <= _VARIABLES for name in _names(format)}
    given = frozenset(document.file.rpartition("/")[2] for document in documents)
    fates, refused = [], []
    for document in documents:
        own = [formats[kind] for kind in of[id(document)]]
        for item in document.items.values():
            if item.key.startswith("$") or (
                document.syntax in _VARIABLES
                and item.key not in declared
                and item not in uses
                and _reason(item, (pair for f in own for pair in f.unmodelled)) is None
            ):
                continue
            why = _reason(item, (pair for f in own for pair in f.refused))
            if why is not None and item.known and (item.text or "").lower() not in ("false", "0", "no", "none"):
                refused.append(Refused(item, why))
            if _absent(item, own, given):
                fates.append(Fate(item, "unmodelled", uses.get(item, ""), NOT_GIVEN))
                continue
            fates.append(_fate(item, own, keys, uses, carried))
    return fates, refused


def _absent(item: Item, own: Sequence[Format], given: Collection[str]) -> bool:
    """Whether a key names a file that is not among those given, and does not come with the software."""
    if not item.known or not any(fits_any(item.key, format.files) for format in own):
        return False
    name = (item.text or "").rpartition("/")[2]
    keys = [key for format in own for key in format.keys.values() if normal(item.key) in map(normal, key.names)]
    if any(name == text.rpartition("/")[2] for key in keys for text in key.shipped):
        return False
    return _FILE.fullmatch(name) is not None and name not in given


def _names(format: Format) -> list[str]:
    return [name for key in format.keys.values() for name in key.names]


def _reason(item: Item, reasons: Iterable[tuple[str, str]]) -> str | None:
    """Why of the first pattern that a key fits."""
    return next((why for pattern, why in reasons if fits_any(item.key, [pattern])), None)


def _fate(item: Item, own: Sequence[Format], keys: Keys, uses: Mapping[Item, str], carried: Sequence[str]) -> Fate:
    if item in keys.wordless:
        return Fate(item, "unmodelled", keys.wordless[item], "no plan has this value")
    if item in uses:
        return Fate(item, "carried" if fits_any(uses[item], carried) else "mapped", uses[item])
    why = _reason(item, (pair for f in own for pair in f.unmodelled))
    if why is not None:
        off = (item.text or "").lower() in ("false", "0", "no", "none", "") and item.items is None
        return Fate(item, "free" if off else "unmodelled", "", "switched off" if off else why)
    if item in keys.read or any(normal(item.key) in format.declared for format in own):
        if not item.known:
            return Fate(item, "free", "", "says nothing" if item.text is None else NOT_KNOWN)
        return Fate(item, "free", "", DECIDED_ELSEWHERE)
    if any(fits_any(item.key, f.ignored) for f in own):
        return Fate(item, "free")
    return Fate(item, "unknown")
