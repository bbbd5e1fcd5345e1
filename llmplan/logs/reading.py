"""A log of any format as what it tells: recognised by what it holds, read once from the beginning to the end.

Console lines, JSON lines, a whole JSON document, CSV and event files come to the same records; which of them a log is
shows in its first bytes. Each line is offered to every form; the format that tells the steps is the log's.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from attrs import define, field, frozen

from llmplan.logs import tensorboard
from llmplan.logs.forms import LogForm, LogFormat
from llmplan.logs.formula import Value
from llmplan.logs.opening import LONGEST, Bytes, lines
from llmplan.logs.telling import Telling

MOST_JSON = 2**26
"""Bytes of a JSON document that is one piece."""

_MOST_SHAPES = 1024
_DEPTH = 6
_PREFIX = re.compile(
    r"\s{0,8}(?:\[?(?:default|[Rr]ank ?)(\d{1,6})\]?[:>] ?|(\d{1,5}): |\([^()]{1,60}pid=(\d{1,9})[^()]{0,80}\) ?"
    r"|\[\d{1,5},(\d{1,6})\]<(?:stdout|stderr)>: ?)"
)
_CONTAINER = re.compile(
    r"(?:\[pod/[\w./-]{1,300}\] ?)?"
    r"(?:\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d) (?:std(?:out|err) [FP] ?)?)?"
)
"""What Kubernetes writes in front of a line: the pod, and the moment with the stream."""

_STAMP = re.compile(r"(?:(\d{4})-(\d\d)-(\d\d)|(\d\d)/(\d\d)/(\d{4}))[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?!\d)")
_STAMP_WITHIN = 100
_WHOLE = re.compile(r"\s*[\[{]\s*(?:[\"{\[\]}]|$)")


@frozen
class Heard:
    """What a log tells.

    Attributes:
        telling: What its lines mean, by format.
        format: The one whose steps count; None where no line was understood.
        others: Those that also tell steps, with another clock.
        understood: How many lines or records were.
        stray: The first line of which nothing was understood, with its number.
        broken: Whether it ends in the middle.
        whole: Whether it is one JSON document too long to be read.
    """

    telling: Telling
    format: LogFormat | None
    others: tuple[LogFormat, ...]
    understood: int
    stray: tuple[int, str] | None
    broken: bool
    too_long: bool = False


@define
class _Ear:
    formats: Sequence[LogFormat]
    telling: Telling
    understood: int = 0
    stray: tuple[int, str] | None = None
    too_long: bool = False
    plain: list[tuple[str, LogFormat, LogForm]] = field(factory=list)
    records: list[tuple[LogFormat, LogForm]] = field(factory=list)
    shapes: dict[tuple[str, ...], list[tuple[LogFormat, LogForm]]] = field(factory=dict)
    kept: dict[str, Mapping[str, Value]] = field(factory=dict)
    open: dict[str, tuple[LogFormat, LogForm, dict[str, Value], int]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for format in self.formats:
            for form in format.forms:
                if "lines" in form.syntaxes:
                    self.plain += [(guard, format, form) for guard in form.guards]
                if form.syntaxes - {"lines"}:
                    self.records.append((format, form))

    def line(self, number: int, line: str) -> None:
        """One line of a console, or of JSON lines."""
        container = _CONTAINER.match(line)
        moment = container[0] if container is not None else ""
        line = line[len(moment) :]
        prefix = _PREFIX.match(line)
        rank = None
        if prefix is not None:
            rank = int(next(group for group in prefix.groups() if group is not None))
            line = line[prefix.end() :]
        known = False
        near = {form.kind: (format, form) for guard, format, form in self.plain if guard in line}
        for kind, (format, form) in near.items():
            if form.fits(line):
                known = True
                if form.block:
                    self._flush(kind)
                    self.open[kind] = (format, form, form.read(line), number)
                    continue
                for piece in form.pieces(line):
                    self._told(format, form, form.read(piece), number, rank, moment + piece)
        if not known and self.open:
            known = self._inside(line)
        stripped = line.lstrip()
        if stripped[:2] == '{"' and self.records:
            known = self._json(stripped, number) or known
        if not known:
            self.telling.stray(number, line)
        self._known(known, number, line)

    def _inside(self, line: str) -> bool:
        """A line of a block: whether it says something."""
        known = False
        for _, form, values, _ in self.open.values():
            more = form.read(line)
            values.update(more)
            known = known or bool(more)
        return known

    def _json(self, text: str, number: int) -> bool:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return False
        if not isinstance(value, dict):
            return False
        known = [self.record(record, number) for record in records_of(value)]
        return any(known)

    def record(self, record: Mapping[str, object], number: int) -> bool:
        """One record; whether a form has its keys."""
        shape = tuple(record)
        forms = self.shapes.get(shape)
        if forms is None:
            forms = [pair for pair in self.records if pair[1].fits_keys(record)]
            if len(self.shapes) < _MOST_SHAPES:
                self.shapes[shape] = forms
        for format, form in forms:
            self._told(format, form, form.of_record(record), number, None, "")
        return bool(forms)

    def _known(self, known: bool, number: int, line: str) -> None:
        if known:
            self.understood += 1
        elif self.stray is None and line.strip():
            self.stray = (number, line.strip())

    def _told(
        self, format: LogFormat, form: LogForm, values: Mapping[str, Value], number: int, rank: int | None, text: str
    ) -> None:
        if form.kept:
            self.kept[form.kind] = values
        told = format.tells(form.kind, values, self.kept)
        if told:
            by_stamp = "step.number" in told and "step.time" not in told and "step.samples_rate" not in told
            stamp = _stamp(text) if "step.number" in told else None
            if stamp is not None:
                common, number_of = self.telling.common, told["step.number"]
                common.moment = stamp
                if common.began is None and isinstance(number_of, (int, float)):
                    common.began = (stamp, float(number_of))
            self.telling.hear(format.name, told, number, rank, stamp if by_stamp else None, stamp)

    def _flush(self, kind: str) -> None:
        if kind in self.open:
            format, form, values, number = self.open.pop(kind)
            self._told(format, form, values, number, None, "")

    def end(self) -> None:
        """Nothing follows."""
        for kind in list(self.open):
            self._flush(kind)


def read(source: Bytes, formats: Sequence[LogFormat], steps: tuple[float, float] | None = None) -> Heard:
    """Reads a log.

    Args:
        formats: Those that are considered.
        steps: Only these steps, from the first to the last.
    """
    ear = _Ear(formats, Telling(steps))
    _hear(source, ear)
    ear.end()
    runs = ear.telling.runs
    stepping = [one for one in formats if one.name in runs and runs[one.name].steps]
    told = stepping or [one for one in formats if one.name in runs]
    below = {name for one in told for name in one.over}
    told.sort(key=lambda one: (one.name in below, -runs[one.name].steps, -runs[one.name].events))
    format = told[0] if told else None
    return Heard(
        ear.telling, format, tuple(stepping[1:] if format in stepping[:1] else [o for o in stepping if o != format]),
        ear.understood, ear.stray, source.broken, ear.too_long,
    )  # fmt: skip


def _hear(source: Bytes, ear: _Ear) -> None:
    head = source.head()
    if tensorboard.is_events(head):
        for record in tensorboard.records(source):
            ear.understood += ear.record(record, 0)
        return
    text = head.decode("utf-8", "replace").lstrip("\ufeff")
    if _WHOLE.match(text) and not _is_json(text.partition("\n")[0], len(text)):
        raw = source.whole(MOST_JSON)
        if raw is None:
            ear.too_long = True
            return
        try:
            document = json.loads(raw.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            source = Bytes(io.BytesIO(raw))
        else:
            _document(document, ear)
            return
    columns = _columns(text, ear)
    if columns is not None:
        _table(source, ear, columns)
        return
    for number, line in lines(source):
        ear.line(number, line)


def _is_json(line: str, length: int) -> bool:
    """Whether a line is whole JSON by itself, not one that was cut."""
    if len(line) >= min(length, LONGEST) and length >= LONGEST:
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _document(document: object, ear: _Ear) -> None:
    for value in document if isinstance(document, list) else [document]:
        if isinstance(value, dict):
            for record in records_of(value):
                ear._known(ear.record(record, 0), 0, json.dumps(record, default=str)[:200])


def records_of(value: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """The records in a JSON object: first each of the lists in it, then its own keys, inner ones with dots."""
    own: dict[str, object] = {}
    yield from _flat(value, "", own, _DEPTH)
    if own:
        yield own


def _flat(value: Mapping[str, object], prefix: str, own: dict[str, object], depth: int) -> Iterator[dict[str, object]]:
    for name, inner in value.items():
        key = f"{prefix}{name}"
        if isinstance(inner, dict) and depth:
            yield from _flat(inner, f"{key}.", own, depth - 1)
        elif isinstance(inner, list):
            for one in inner:
                if isinstance(one, dict) and depth:
                    yield from records_of(one)
        else:
            own[key] = inner


def _columns(text: str, ear: _Ear) -> list[str] | None:
    """The columns of a table, if a form has them."""
    first = next(iter(text.strip().splitlines()), "")
    for mark in (",", "\t", ";"):
        if mark in first:
            columns = _cells(first, mark)
            if columns and any(form.fits_keys(dict.fromkeys(columns)) for _, form in ear.records):
                return [mark, *columns]
    return None


def _cells(line: str, mark: str) -> list[str]:
    """The cells of a row; none of one that is damaged."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True))]
    except (csv.Error, StopIteration):
        return []


def _table(source: Bytes, ear: _Ear, columns: list[str]) -> None:
    mark, *names = columns
    header = True
    for number, line in lines(source):
        if not line.strip():
            continue
        if header:
            header = False
            ear.understood += 1
            continue
        values = _cells(line, mark)
        record = {name: value for name, value in zip(names, values, strict=False) if value}
        ear._known(len(values) == len(names) and ear.record(record, number), number, line)


def _stamp(text: str) -> float | None:
    """The time of day with which a line begins, in seconds."""
    found = _STAMP.search(text[:_STAMP_WITHIN])
    if found is None:
        return None
    year, month, day, month_first, day_second, year_last, hour, minute, second, part = found.groups()
    try:
        days = date(int(year or year_last), int(month or month_first), int(day or day_second)).toordinal()
    except ValueError:
        return None
    fraction = float(f"0.{part}") if part else 0.0
    return days * 86400.0 + int(hour) * 3600 + int(minute) * 60 + int(second) + fraction
