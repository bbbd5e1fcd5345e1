"""The frames of tracebacks in a log that many processes write, whatever a launcher or a collector puts before a line.

What stands before `Traceback (most recent call last)` or `File "` is the prefix of its process: the code below a frame
and the error at the end begin with the same one. Times in it differ from line to line and are taken out first.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator

_COLOURS = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_HEAD = 160
"""Longest prefix."""
_TIME = re.compile(
    r"(?:(?:[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[A-Z][a-z]{2} [ 0-9][0-9])[T ])?"
    r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2}\b)?"
)
_FRAME = re.compile(r' {0,2}File "[^"]{1,500}", line [0-9]{1,9}, in (.{1,200})')
_OPENING = "Traceback (most recent call last)"
_JSON_TEXTS = ("log", "message", "msg", "textPayload", "line")
"""Where collectors of logs keep the text of a line."""
_FRAMES = 80
_PROCESSES = 512
_INDENTED = "  "


def plain_lines(lines: Iterable[str]) -> Iterator[str]:
    """The lines as the processes wrote them, but for their prefixes: no colours, no times, no records around them."""
    for line in lines:
        for text in _unpacked(line):
            coloured = _COLOURS.sub("", text) if "\x1b" in text else text
            yield _TIME.sub("", coloured[:_HEAD]) + coloured[_HEAD:]


def _unpacked(line: str) -> list[str]:
    """The text in a record of a collector, which may be of several lines; else the line."""
    if not line.startswith("{") or not line.rstrip().endswith("}"):
        return [line]
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return [line]
    text = next((record[key] for key in _JSON_TEXTS if isinstance(record.get(key), str)), None)
    return [line] if text is None else text.splitlines()


class Tracebacks:
    """The last traceback of each process, by the prefix of its lines."""

    def __init__(self) -> None:
        self._frames: OrderedDict[str, deque[str]] = OrderedDict()
        self._pending: set[str] = set()
        """Prefixes whose last frame awaits its line of code."""
        self._lengths: dict[int, int] = {}
        """How many prefixes have a length."""
        self._opened: str | None = None

    def feed(self, line: str) -> bool:
        """Takes a line, and says whether it is the place of a frame."""
        opened, self._opened = self._opened, None
        start = line.find(_OPENING, 0, _HEAD + len(_OPENING))
        if start >= 0:
            # A progress bar may stand before it; the next line then shows the prefix.
            self._opened = line[:start]
            self._clear(self._opened)
            return False
        at = line.find('File "', 0, _HEAD + 8)
        frame = (
            _FRAME.match(line, max(0, at - 2) if line[max(0, at - 2) : at] == _INDENTED else at) if at >= 0 else None
        )
        if frame is not None:
            prefix = line[: frame.start()]
            if opened is not None and opened != prefix and opened.endswith(prefix):
                self._clear(prefix)
            self._add(prefix, frame[1].strip())
            return True
        if self._pending:
            prefix = self.prefix(line)
            code = line[len(prefix) :]
            if prefix in self._pending and code.startswith(" "):
                self._pending.discard(prefix)
                frames = self._frames[prefix]
                frames[-1] = f"{frames[-1]}: {code.strip()[:200]}"
        return False

    def prefix(self, line: str) -> str:
        """The longest known prefix that the line begins with."""
        for length in sorted(self._lengths, reverse=True):
            if line[:length] in self._frames:
                return line[:length]
        return ""

    def of(self, prefix: str) -> tuple[str, ...]:
        return tuple(self._frames.get(prefix, ()))

    def last(self) -> tuple[str, ...]:
        """The frames that were seen last."""
        return tuple(next(reversed(self._frames.values()), ()))

    def _clear(self, prefix: str) -> None:
        self._of(prefix).clear()
        self._pending.discard(prefix)

    def _add(self, prefix: str, function: str) -> None:
        self._of(prefix).append(function)
        self._pending.add(prefix)

    def _of(self, prefix: str) -> deque[str]:
        frames = self._frames.get(prefix)
        if frames is None:
            frames = self._frames[prefix] = deque(maxlen=_FRAMES)
            self._lengths[len(prefix)] = self._lengths.get(len(prefix), 0) + 1
            if len(self._frames) > _PROCESSES:
                self._forget(next(iter(self._frames)))
        self._frames.move_to_end(prefix)
        return frames

    def _forget(self, prefix: str) -> None:
        del self._frames[prefix]
        self._pending.discard(prefix)
        self._lengths[len(prefix)] -= 1
        if not self._lengths[len(prefix)]:
            del self._lengths[len(prefix)]
