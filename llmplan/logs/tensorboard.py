"""TensorBoard's event files: records with a step, a time and the scalars of that step, without TensorFlow.

A file is a row of framed messages; of the protocol buffers in them only the few fields of a scalar are read. Check
sums are not: what is damaged ends the file.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from llmplan.logs.opening import Bytes

MARK = b"brain.Event:"
_LONGEST = 2**24


def is_events(head: bytes) -> bool:
    """Whether a file begins as an event file does."""
    return MARK in head[:80]


def records(source: Bytes) -> Iterator[dict[str, object]]:
    """The scalars of each step under their tags, with `step` and `wall_time`; events of one step in a row are one."""
    record: dict[str, object] = {}
    for message in _messages(source):
        try:
            event = dict(_scalars(message))
        except (ValueError, struct.error, IndexError):
            continue
        if len(event) <= 2:
            continue
        if record and event.get("step") != record.get("step"):
            yield record
            record = {}
        for name, value in event.items():
            record.setdefault(name, value)
    if record:
        yield record


def _messages(source: Bytes) -> Iterator[bytes]:
    """Each message: its length in eight bytes, four of a check sum, the message, four of another."""
    buffer = b""
    for chunk in source.chunks():
        buffer += chunk
        place = 0
        while len(buffer) - place >= 12:
            length = int.from_bytes(buffer[place : place + 8], "little")
            if length > _LONGEST:
                return
            if len(buffer) - place < length + 16:
                break
            yield buffer[place + 12 : place + 12 + length]
            place += length + 16
        buffer = buffer[place:]


def _scalars(message: bytes) -> Iterator[tuple[str, object]]:
    yield "step", 0
    for number, value in _fields(message):
        if number == 1 and isinstance(value, bytes):
            yield "wall_time", struct.unpack("<d", value)[0]
        elif number == 2 and isinstance(value, int):
            yield "step", value
        elif number == 5 and isinstance(value, bytes):
            for inner, one in _fields(value):
                if inner == 1 and isinstance(one, bytes):
                    yield from _scalar(one)


def _scalar(message: bytes) -> Iterator[tuple[str, object]]:
    tag, value = "", None
    for number, part in _fields(message):
        if number == 1 and isinstance(part, bytes):
            tag = part.decode("utf-8", "replace")
        elif number == 2 and isinstance(part, bytes) and len(part) == 4:
            value = struct.unpack("<f", part)[0]
        elif number == 8 and isinstance(part, bytes):
            value = _tensor(part)
    if tag and value is not None:
        yield tag, value


def _tensor(message: bytes) -> float | None:
    """The number of a tensor that holds a single one: packed in place, or as bytes."""
    kind = 0
    for number, part in _fields(message):
        if number == 1 and isinstance(part, int):
            kind = part
        elif isinstance(part, bytes) and number in (4, 5, 6):
            layout = {1: "<f", 2: "<d"}.get(kind)
            if layout is not None and len(part) == struct.calcsize(layout):
                return float(struct.unpack(layout, part)[0])
    return None


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message: whole numbers, or the bytes of everything else.

    Raises:
        ValueError: It ends in the middle, or is of no known kind.
    """
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        kind = key & 7
        if kind == 0:
            value, place = _varint(message, place)
            yield key >> 3, value
            continue
        if kind == 2:
            length, place = _varint(message, place)
        else:
            length = {1: 8, 5: 4}.get(kind, -1)
        if length < 0 or place + length > len(message):
            raise ValueError("the message ends in the middle")
        yield key >> 3, message[place : place + length]
        place += length


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
    raise ValueError("a number without an end")
