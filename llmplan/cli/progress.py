"""The progress of a long command: one line on a terminal, gone when it is done."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from llmplan.cli import terminal
from llmplan.units import amount

PATIENCE = 1.0
"""Seconds before the bar is shown."""

EVERY = 0.1
"""Seconds from one picture of it to the next."""

_BAR = 24


@contextmanager
def progress() -> Iterator[_Line]:
    """A bar on standard error, if that is a terminal; called with how many are done, how many there are, and what they
    are.
    """
    line = _Line()
    try:
        yield line
    finally:
        line.clear()


class _Line:
    def __init__(self) -> None:
        self._next = time.monotonic() + PATIENCE
        self._shown = False
        self._terminal = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, done: int, count: int, what: str) -> None:
        now = time.monotonic()
        if not self._terminal or now < self._next:
            return
        self._next = now + EVERY
        self._shown = True
        full = _BAR * done // count
        text = f"[{'#' * full}{'.' * (_BAR - full)}] {amount.count(done)} of {amount.count(count)} {what}"
        # A line that wraps could not be cleared.
        terminal.steer(f"\r{text[: shutil.get_terminal_size().columns - 1]}\x1b[K")

    def clear(self) -> None:
        if self._shown:
            terminal.steer("\r\x1b[K")
