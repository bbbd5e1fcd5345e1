"""A log as lines: gzip, colours, carriage returns and other encodings undone, in memory that does not grow with it.

Input: a stream of bytes. Output: the lines with their numbers, each cut to what a line that says something can be. What
ends in the middle, or is no text, ends the lines; nothing is raised for what a log holds.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from attrs import field, mutable

LONGEST = 64 * 2**10
"""Characters of a line that are read."""

_CHUNK = 2**20
_GZIP = b"\x1f\x8b"
_CUT = re.compile(r"(?<![\w.,])[-+]?\d[\d.,]*(?:[eE][-+]?\d*)?$")
"""A number with which a line ends that does not: digits of it may be missing."""

_STEERING = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00\x08]")
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@mutable
class Bytes:
    """The bytes of a log, unpacked; the first of them can be looked at before the rest is read.

    Attributes:
        told: Called with how many bytes of the file were read.
        broken: Whether a packed log ends in the middle, or is damaged.
    """

    stream: BinaryIO
    told: Callable[[int], None] = lambda _: None
    broken: bool = False
    done: int = 0
    _head: bytes = b""
    _chunks: Iterator[bytes] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._chunks = self._unpacked()

    def head(self, count: int = LONGEST) -> bytes:
        """The first bytes, as many as there are up to a count."""
        while len(self._head) < count:
            chunk = next(self._chunks, b"")
            if not chunk:
                break
            self._head += chunk
        return self._head[:count]

    def chunks(self) -> Iterator[bytes]:
        """All bytes, once."""
        head, self._head = self._head, b""
        if head:
            yield head
        yield from self._chunks

    def whole(self, most: int) -> bytes | None:
        """All bytes, if there are no more than that."""
        parts, count = [], 0
        for chunk in self.chunks():
            count += len(chunk)
            if count > most:
                return None
            parts.append(chunk)
        return b"".join(parts)

    def _raw(self) -> Iterator[bytes]:
        while chunk := self.stream.read(_CHUNK):
            self.done += len(chunk)
            self.told(self.done)
            yield chunk

    def _unpacked(self) -> Iterator[bytes]:
        raw = self._raw()
        first = next(raw, b"")
        if not first.startswith(_GZIP):
            if first:
                yield first
            yield from raw
            return
        unpacking, left = zlib.decompressobj(wbits=31), first
        while True:
            if not left and not (left := next(raw, b"")):
                self.broken = not unpacking.eof
                return
            if unpacking.eof:
                left = left.lstrip(b"\0")  # padding behind a member
                if not left:
                    continue
                if not left.startswith(_GZIP):
                    return  # what is behind is no part of it
                unpacking = zlib.decompressobj(wbits=31)
            try:
                yield from self._inflated(unpacking, left)
            except zlib.error:
                self.broken = True
                return
            left = unpacking.unused_data

    def _inflated(self, unpacking: zlib._Decompress, packed: bytes) -> Iterator[bytes]:
        """What a piece of a packed log holds, in pieces of a bounded size."""
        part = unpacking.decompress(packed, _CHUNK)
        while part:
            yield part
            part = unpacking.decompress(unpacking.unconsumed_tail, _CHUNK)


def lines(source: Bytes) -> Iterator[tuple[int, str]]:
    """The lines of a log with their numbers; what a bar overwrites in place is a line of the same number.

    A log that is cut in the middle of a line lacks the number with which it ends.
    """
    head = source.head(4)
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), "utf-8")
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    number, rest, skipping = 1, "", False
    for chunk in source.chunks():
        parts = (rest + decoder.decode(chunk)).split("\n")
        rest = parts.pop()
        for part in parts:
            if not skipping:
                yield from _shown(number, part)
            skipping = False
            number += 1
        if len(rest) > LONGEST:
            if not skipping:
                yield from _shown(number, rest)
            rest, skipping = "", True
    rest += decoder.decode(b"", final=True)
    if rest and not skipping:
        yield from _shown(number, _CUT.sub("", rest))


def _shown(number: int, line: str) -> Iterator[tuple[int, str]]:
    if len(line) > LONGEST:
        line = line[:LONGEST]
    if "\x1b" in line or "\0" in line or "\b" in line:
        line = _STEERING.sub("", line)
    if "\r" in line:
        for part in line.split("\r"):
            if part:
                yield number, part
    else:
        yield number, line
