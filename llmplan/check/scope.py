"""The meaning of names: units, enums, kinds, fields, quantities, functions, lets and catalog entries.

The library's scope is read from the cache piece by piece; a plan's own declarations lie on top of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from attrs import define, field, frozen

from llmplan.check.entry_names import alike, joined, normal, published, worded_alike
from llmplan.check.mappings import Overlay
from llmplan.check.program import EntryRecord, Field, Function, Goal, Let, Quantity, Rule, SourceRef
from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.entries import no_entry
from llmplan.diagnostics.spelling import closest
from llmplan.source import Source, Span
from llmplan.syntax import nodes
from llmplan.units.measure import EnumType, Exponents, KindType, ListType, Measure, Type, is_choice
from llmplan.units.table import UnitTable, describe


@frozen
class Folders:
    """A target's template folders: those written in `some` plans, and those written whenever it is emitted."""

    some: frozenset[str]
    always: frozenset[str]


Targets = Mapping[str, Folders]
"""The targets of `emit`, by name."""


@frozen
class Meaning:
    """The meaning of a name in an expression; the type is None for a field with two units.

    `labels` are those of a let, also where its type has none.
    """

    type: Type | None
    unit: str = ""
    indices: tuple[str, ...] = ()
    labels: Exponents = ()


@define
class Scope:
    """All declarations that can be referred to.

    Attributes:
        kinds: Field names of each kind, in order of declaration.
        aliases: By kind and normal form, the canonical names that a name may mean.
        usual: By kind and normal form, the entry that most people mean by an ambiguous name.
        rules: The library's requirements and preferences by name, `goals` its objectives.
        selectors: By kind, the field that chooses its entry: the first with that kind as its type.
        banded: Quantities with a band; the values are empty.
        apart: Of quantities with a band, the factor by which deviations of two plans of the same model differ.
        priors: Constants that measured runs move, with the widths of their priors.
        scatter: Quantities that can be read of a measured run, each with the factor by which such readings differ.
        alike: Quantities that say how far a measured run is like a plan, each with what has the same value in both.
        timers: By the name of a part of a step in logs, the quantity that it measures.
        suspects: Fields that may be otherwise in a run than planned: what tells, then the factors or members to try.
        assumable: Quantities for which the library checks whether a plan assumes them; the values are empty.
        calendar: Quantities that have a counterpart on the calendar, with its name.
        software: Kinds that the training software must be configured with; the values are empty.
        told_as: Inputs of those kinds that are configured under another name, or not at all.
        comparable: Fields whose values can be compared between two entries only if another field, given here, is the
            same.
        as_published: Fields that take the entry's published name, if a hub's name chose it.
        as_is: Fields whose value in an entry counts only if the plan overrides no other field of the entry, except
            those named.
        cliffs: Quantities that must be whole and so can make an answer jump; the values are empty.
        parts: By quantity, the parts that add up to it, each with its label.
        compared: Quantities by which plans are compared: the column of each, and its rank among the sort keys for
            changes.
        spoken: By a word that people use, the fields, quantities and kinds that it means.
        meant: By enum and a word that people write, the member that means it.
        unmodelled: By a word for something that no plan can express, what to count instead; by the path of a field,
            the same for several values.
        sources: Source texts by name, for spans.
        targets: The targets that may be emitted; empty if not known, as while the library is read.
        emitted: By target, the places where the library checks whether it is emitted.
        lets: Types of the plan's lets, filled on demand by `let_type`.
        let_values: All values that the plan's files give a let.
        labelled: Lets that are the value of a field with `@per`, with the labels that they in turn expect.
        read: Names of lets and functions that some expression reads.
    """

    units: UnitTable = field(factory=UnitTable)
    dimensions: dict[str, SourceRef] = field(factory=dict)
    enums: dict[str, EnumType] = field(factory=dict)
    kinds: dict[str, tuple[str, ...]] = field(factory=dict)
    fields: Overlay[Field] = field(factory=lambda: Overlay[Field]({}))
    quantities: Overlay[Quantity] = field(factory=lambda: Overlay[Quantity]({}))
    functions: Overlay[Function] = field(factory=lambda: Overlay[Function]({}))
    entries: dict[str, Overlay[EntryRecord]] = field(factory=dict)
    aliases: dict[str, dict[str, tuple[str, ...]]] = field(factory=dict)
    usual: dict[str, dict[str, str]] = field(factory=dict)
    rules: Overlay[Rule] = field(factory=lambda: Overlay[Rule]({}))
    goals: tuple[Goal, ...] = ()
    selectors: dict[str, str] = field(factory=dict)
    banded: dict[str, tuple[()]] = field(factory=dict)
    apart: dict[str, str] = field(factory=dict)
    priors: dict[str, float] = field(factory=dict)
    scatter: dict[str, str] = field(factory=dict)
    alike: dict[str, tuple[str, ...]] = field(factory=dict)
    timers: dict[str, str] = field(factory=dict)
    suspects: dict[str, tuple[str, ...]] = field(factory=dict)
    assumable: dict[str, tuple[()]] = field(factory=dict)
    calendar: dict[str, str] = field(factory=dict)
    software: dict[str, tuple[()]] = field(factory=dict)
    told_as: dict[str, tuple[str, ...]] = field(factory=dict)
    comparable: dict[str, str] = field(factory=dict)
    as_published: dict[str, tuple[()]] = field(factory=dict)
    as_is: dict[str, tuple[str, ...]] = field(factory=dict)
    cliffs: dict[str, tuple[()]] = field(factory=dict)
    parts: dict[str, tuple[tuple[str, str], ...]] = field(factory=dict)
    compared: dict[str, tuple[int, int]] = field(factory=dict)
    patterns: dict[str, tuple[str, ...]] = field(factory=dict)
    spoken: dict[str, tuple[str, ...]] = field(factory=dict)
    meant: dict[str, dict[str, str]] = field(factory=dict)
    unmodelled: dict[str, str] = field(factory=dict)
    columns: dict[str, tuple[tuple[str, str, str, str], ...]] = field(factory=dict)
    sources: dict[str, Source] = field(factory=dict)
    targets: Targets = field(factory=dict)
    emitted: dict[str, tuple[SourceRef, ...]] = field(factory=dict)
    lets: dict[str, Let] = field(factory=dict)
    read: set[str] = field(factory=set)
    let_type: Callable[[str], Let | None] = field(default=lambda name: None)
    let_values: Callable[[str], Sequence[nodes.Expr]] = field(default=lambda name: ())
    labelled: dict[str, Measure] = field(factory=dict)

    def span(self, place: SourceRef) -> Span:
        name, start, end = place
        return Span(self.sources[name], start, end)

    def at(self, place: SourceRef) -> str:
        """`plans/std/time.plan:14`."""
        span = self.span(place)
        return f"{span.source.name}:{span.line}"

    def folders(self) -> frozenset[str]:
        """The folders of all targets, each with a kind of the same name if it has options."""
        return frozenset().union(*(folders.some for folders in self.targets.values()))

    def is_option(self, path: str) -> bool:
        """Whether an input is an option of a target."""
        return path.partition(".")[0] in self.folders()

    def lookup(self, name: str) -> Meaning | None:
        if name in self.fields:
            found = self.fields[name]
            return Meaning(found.type if len(found.types) == 1 else None, found.units[0])
        if name in self.quantities:
            quantity = self.quantities[name]
            return Meaning(quantity.type, quantity.unit, tuple(enum for _, enum in quantity.indices))
        owner, _, unit = name.rpartition(".")
        if owner in self.fields and len(self.fields[owner].types) > 1:
            two = self.fields[owner]
            if unit in two.units:
                return Meaning(two.types[two.units.index(unit)], unit)
        if unit == "name" and owner in self.entries:
            return Meaning(KindType(owner))  # the name of the chosen entry
        let = self.let_type(name)
        if let is not None:
            self.read.add(name)
        return Meaning(let.type, let.unit, labels=let.labels) if let else None

    def names(self) -> list[str]:
        """Every name that an expression can read."""
        return [*self.lets, *self.fields, *self.quantities]

    def find_entry(self, kind: str, name: str) -> tuple[str | None, list[str]]:
        """The canonical entry that a name means, with others that it fits; else None and the likeliest candidates."""
        index = self.aliases.get(kind, {})
        wanted = normal(name)
        found = next((index[one] for one in published(wanted) if one in index), ())
        found = found or next((names for key, names in index.items() if joined(key) == joined(wanted)), ())
        if len(found) == 1:
            return found[0], self._like(kind, wanted, found[0]) if wanted in self.usual.get(kind, {}) else []
        if found:
            return None, sorted(found)
        near = self.worded(kind, name)
        return None, near or [n for key in closest(wanted, index, 3) if alike(wanted, key) for n in index[key]]

    def worded(self, kind: str, name: str) -> list[str]:
        """The entries whose names have the words of a name, none of them misspelt."""
        index, wanted = self.aliases.get(kind, {}), normal(name)
        parts = [names for key, names in index.items() if key.startswith(wanted + "-") or f"-{wanted}-" in f"-{key}-"]
        near = sorted({entry for names in parts for entry in names})
        # `NVIDIA H100`: a maker's or an organisation's name before the entry's.
        near = near or list(index.get(wanted.partition("-")[2], ()))
        return near or sorted({entry for key, names in index.items() if worded_alike(wanted, key) for entry in names})

    def own_entry(self, kind: str, name: str) -> str | None:
        """The one entry that has a name, even if most people mean another by it (`@usual`)."""
        wanted = normal(name)
        usual = self.usual.get(kind, {}).get(wanted)
        if usual is None:
            return None
        table = self.entries[kind]
        named = [entry for entry in table if entry != usual and wanted in map(normal, table[entry].names)]
        return named[0] if len(named) == 1 else None

    def published(self, kind: str, name: str) -> str:
        """The hub name by which an entry was found; empty for a catalog name."""
        return name if "/" in name or normal(name) not in self.aliases.get(kind, {}) else ""

    def _like(self, kind: str, wanted: str, meant: str) -> list[str]:
        """The other entries that a name could mean."""
        index = self.aliases.get(kind, {})
        return sorted(
            {name for key, names in index.items() if key.startswith(f"{wanted}-") for name in names} - {meant}
        )

    def no_entry(self, span: Span, kind: str, name: str, near: list[str]) -> Diagnostic:
        """E0207 for a name that `find_entry` does not know, or that is ambiguous."""
        index = self.aliases.get(kind, {})
        spelt = [[key for key, found in index.items() if entry in found] for entry in near]
        many = len(near) > 1 and all(any(normal(name) in key for key in keys) for keys in spelt)
        # A kind that occurs in lists, such as matrices, has no list of entries to show.
        alone = not any(
            isinstance(type, ListType) and type.kind == kind for field in self.fields.values() for type in field.types
        )
        selector = self.fields.get(self.selector(kind))
        parts = re.split(r"[-_/. ]", name.lower())
        instead = next((self.unmodelled[part] for part in parts if part in self.unmodelled), "")
        choice = selector is not None and is_choice(selector.type)
        return no_entry(span, kind, name, near, many, alone, choice, instead)

    def having(self, name: str) -> list[str]:
        """The kinds that have a field with this name; if possible only those that have no entries."""
        kinds = [kind for kind, fields in self.kinds.items() if name in fields]
        return [kind for kind in kinds if kind not in self.entries] or kinds

    def selector(self, kind: str) -> str:
        """The path that chooses a kind's entry: a field of that kind's type, else the kind itself."""
        return self.selectors.get(kind, kind)


def words(type: Type | None) -> str:
    """A type in words, for messages."""
    if isinstance(type, Measure):
        return describe(type)
    if isinstance(type, EnumType):
        return f"{'an' if type.name[0] in 'AEIOU' else 'a'} {type.name}"
    if isinstance(type, KindType):
        return f"{'an' if type.name[0] in 'aeiou' else 'a'} {type.name} from the catalog"
    if isinstance(type, ListType):
        return f"a list of {type.kind}"
    return {"BoolType": "Bool", "TextType": "text"}.get(type.__class__.__name__, "unknown")
