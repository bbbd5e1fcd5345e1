"""The lowered names: each is lowered once, and reused by later lowerings in which it is the same.

Input: the value of a name, computed on demand by the caller's function. Output: the value, and a record of everything
that came with it: how it was derived, what it read, what else it depended on. A later lowering with some other values
starts from the records of the names that no change affects; these are not lowered again, and appear in the new lowering
in the order in which it first reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from attrs import define, field, frozen

from llmplan.check.program import SourceRef
from llmplan.diagnostics import Diagnostic
from llmplan.system.missing import Result, missing

T = TypeVar("T")

Reads = tuple[tuple[str, bool], ...]
"""Names that were read, in order, and whether only some candidates need them."""

OPEN = "?"
"""Stands for the open values among what a name depends on."""

SPREAD = ".."
"""Stands for the ranges among what a name depends on."""


class Trace(NamedTuple):
    """How a name got its value.

    Attributes:
        layer: The winning layer; `formula` for a quantity, `default` for a default.
        place: The place of the winning right-hand side; None for an entry without one.
        reads: Names that were read to compute it, in order.
        entry: The catalog entry that it comes from, or empty.
    """

    layer: str
    place: SourceRef | None
    reads: tuple[str, ...] = ()
    entry: str = ""


@frozen
class Known:
    """A name that has been lowered.

    Attributes:
        reads: Names that were read to compute it, and whether only some candidates need them.
        touched: Its other dependencies: paths whose setting was looked at, `OPEN`, `SPREAD`.
        reason: Why it has no value, if it has none here.
        check: A node that is 1 if a computed value is legal, unless it always is.
        below: The names that were read, without order.
    """

    value: Result
    trace: Trace | None
    reads: Reads
    touched: frozenset[str]
    reason: str | None
    check: int | None
    diagnostics: tuple[Diagnostic, ...]
    below: frozenset[str]


@define
class _Frame:
    """A name being lowered; `depth` counts the choices around it."""

    name: str
    at: SourceRef | None
    depth: int
    reads: list[tuple[str, bool]] = field(factory=list)
    touched: set[str] = field(factory=set)
    diagnostics: list[Diagnostic] = field(factory=list)


class Names:
    """The names of one lowering.

    Args:
        kept: Names of an earlier lowering that have the same value here.

    Attributes:
        values, traces, reasons, checks: By name, see `Known`.
        diagnostics: The diagnostics, in order.
        needed: Names that every candidate needs.
        circle: Called with a name that depends on itself, and each step of the cycle.
        still: Returns an earlier lowering's record of the name being lowered, if it still holds; it reads the names
            read then.
        lowered: The number of names lowered here.
    """

    def __init__(self, kept: Mapping[str, Known] | None = None) -> None:
        self._kept = dict(kept or {})
        self._taken: dict[str, Known] = {}
        self._done: dict[str, _Frame] = {}
        self._frames: list[_Frame] = []
        self._active: set[str] = set()  # the names in the frames
        self._users: tuple[int, dict[str, list[str]]] | None = None  # with the number of names it was computed for
        self._branches = 0  # the number of enclosing choices that only some candidates take
        self.values: dict[str, Result] = {}
        self.traces: dict[str, Trace] = {}
        self.reasons: dict[str, str] = {}
        self.checks: dict[str, int] = {}
        self.diagnostics: list[Diagnostic] = []
        self.needed: set[str] = set()
        self.circle: Callable[[str, list[tuple[str, SourceRef | None]]], None] | None = None
        self.still: Callable[[str], Known | None] | None = None
        self.lowered = 0

    def once(
        self, name: str, lower: Callable[[str], Result], at: SourceRef | None = None, circular: bool = False
    ) -> Result:
        """The value of a name that is read here; it is lowered unless it is known.

        Args:
            at: Where the name is written.
            circular: True if it may depend on itself: it is then missing, which is not a mistake.
        """
        known = self.read(name)
        return self.fresh(name, lower, at, circular) if known is None else known

    def fresh(
        self, name: str, lower: Callable[[str], Result], at: SourceRef | None = None, circular: bool = False
    ) -> Result:
        """The value of a name that `read` did not know; see `once`."""
        if name in self._kept:
            self._take(name)
            return self.values[name]
        if name in self._active:
            if not circular and self.circle is not None:
                active = [frame.name for frame in self._frames]
                steps = [(frame.name, frame.at) for frame in self._frames[active.index(name) + 1 :]]
                self.circle(name, [*steps, (name, at)])
            return missing()
        frame = _Frame(name, at, self._branches)
        self._frames.append(frame)
        self._active.add(name)
        before = self.still(name) if self.still is not None else None
        if before is None:
            frame.reads.clear()
            self.lowered += 1
            value = lower(name)
        self._frames.pop()
        self._active.discard(name)
        if before is not None:
            self._value_of(name, before)
            self._rest_of(name, before)
            return before.value
        trace = self.traces.get(name)
        if trace is not None:
            names = tuple(dict.fromkeys([read for read, _ in frame.reads]))
            self.traces[name] = Trace(trace.layer, trace.place, names, trace.entry)
        self.values[name] = value
        self._done[name] = frame
        return value

    def read(self, name: str) -> Result | None:
        """Records that a name is read here; returns its value if it is known."""
        if self._frames:
            frame = self._frames[-1]
            frame.reads.append((name, self._branches > frame.depth))
        if not self._branches:
            self.needed.add(name)
        return self.values.get(name)

    def seen(self, name: str, conditional: bool) -> Result | None:
        """The value of a name that is read here, if it is known already."""
        if not (self._branches or conditional):
            self.needed.add(name)
        return self.values.get(name)

    def _recorded(self, name: str, frame: _Frame) -> Known:
        reads = tuple(dict.fromkeys(frame.reads))
        return Known(
            self.values[name], self.traces.get(name), reads, frozenset(frame.touched), self.reasons.get(name),
            self.checks.get(name), tuple(frame.diagnostics), frozenset([read for read, _ in reads]),
        )  # fmt: skip

    def _take(self, name: str) -> None:
        """Takes over a name of an earlier lowering, and the names it reads, as if they were lowered here."""
        kept = self._kept
        known = kept.pop(name)
        self._value_of(name, known)
        for read, conditional in known.reads:
            if conditional:
                self._branches += 1
                if read in kept:
                    self._take(read)
                self._branches -= 1
            else:
                if not self._branches:
                    self.needed.add(read)
                if read in kept:
                    self._take(read)
        self._rest_of(name, known)

    def _value_of(self, name: str, known: Known) -> None:
        self._taken[name] = known
        self.values[name] = known.value
        if known.trace is not None:
            self.traces[name] = known.trace

    def _rest_of(self, name: str, known: Known) -> None:
        if known.reason is not None:
            self.reasons[name] = known.reason
        if known.check is not None:
            self.checks[name] = known.check
        if known.diagnostics:
            self.diagnostics += known.diagnostics

    def touch(self, *paths: str) -> None:
        """Records that the name being lowered depends on how these paths are set, whatever their values."""
        if self._frames:
            self._frames[-1].touched.update(paths)

    def report(self, found: Diagnostic) -> None:
        """Reports a problem with the name being lowered."""
        self.diagnostics.append(found)
        if self._frames:
            self._frames[-1].diagnostics.append(found)

    @contextmanager
    def conditionally(self) -> Iterator[None]:
        """Names read in this context are needed by some candidates only."""
        self._branches += 1
        try:
            yield
        finally:
            self._branches -= 1

    def recorded(self, lower: Callable[[], Result]) -> tuple[Result, Reads]:
        """A value, and the names that were read for it."""
        reads = self._frames[-1].reads if self._frames else []
        before = len(reads)
        return lower(), tuple(reads[before:])

    def reading(self, lower: Callable[[], T]) -> tuple[T, set[str]]:
        """The result of `lower`, and the names that are read for it, directly or indirectly."""
        self._frames.append(_Frame("", None, self._branches))
        found = lower()
        reads = self._frames.pop().reads
        if self._frames:
            self._frames[-1].reads += reads
        pending = [name for name, _ in reads]
        seen = set(pending)
        while pending:
            further = self._below(pending.pop()) - seen
            seen |= further
            pending += further
        return found, seen

    def _below(self, name: str) -> AbstractSet[str]:
        """The names that were read for a name, if it has been lowered or taken over."""
        if name in self._taken:
            return self._taken[name].below
        return {read for read, _ in self._done[name].reads} if name in self._done else frozenset()

    def read_again(self, reads: Reads) -> None:
        """Adds the reads that `recorded` returned to the name being lowered."""
        if self._frames:
            self._frames[-1].reads += reads

    def all(self) -> dict[str, Known]:
        """The names that have been lowered or taken over."""
        # Only now, as most lowerings have no successor.
        self._taken.update((name, self._recorded(name, frame)) for name, frame in self._done.items())
        self._done.clear()
        return self._taken

    def is_lowered(self, name: str) -> bool:
        """Whether a name is being lowered at this moment, and every candidate needs the names read for it."""
        return bool(self._frames) and self._frames[-1].name == name and self._branches == self._frames[-1].depth

    @property
    def outside(self) -> bool:
        """Whether lowering happens outside any name and for every candidate, so that nothing depends on its reads."""
        return not self._frames and not self._branches

    def _users_of(self, known: Mapping[str, Known]) -> dict[str, list[str]]:
        """The names that depend on each name or path; a known name never changes, so it is examined once."""
        if self._users is None or self._users[0] != len(known):
            users: dict[str, list[str]] = {}
            for name, record in known.items():
                for read in record.below:
                    users.setdefault(read, []).append(name)
                for path in record.touched:
                    users.setdefault(path, []).append(name)
            self._users = len(known), users
        return self._users[1]

    def without(self, changed: Iterable[str]) -> dict[str, Known]:
        """The names that do not depend on the changed paths (or `OPEN`, `SPREAD`)."""
        known = {**self._kept, **self.all()}
        users = self._users_of(known)
        pending = list(changed)
        reached = set(pending)
        while pending:
            for user in users.get(pending.pop(), ()):
                if user not in reached:
                    reached.add(user)
                    pending.append(user)
        return {name: record for name, record in known.items() if name not in reached}
