"""The limits of a template: of the size of its texts, numbers and lists, of its time, and of its memory.

Time is counted in lines of templates and of Jinja, not in seconds: what can be written must not depend on the machine.
What one value may be is checked where operators make it; methods and filters make others, and many small values are
large together, so that the system bounds the memory besides, where it can. Imported with Jinja, not before.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import jinja2
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment

from llmplan.diagnostics.files import TEMPLATE_TOO_LARGE, TEMPLATE_TOO_LONG

MOST = 10_000_000
"""The most characters, items or digits of a value, and of a file."""

LINES = 5_000_000
"""The most lines that one file may run: a few seconds."""

MEMORY = 384 * 2**20
"""The most bytes by which the process may grow while one file is written: with what it has, less than 512 MiB."""

_JINJA = os.path.dirname(jinja2.__file__)


class Excess(Exception):
    """A template exceeds a limit."""


class Sandbox(SandboxedEnvironment):
    """A sandbox that also refuses values that are too large."""

    intercepted_binops = frozenset({"*", "**", "+"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """The result of an operation; raises Excess if it would be too large."""
        if operator == "*":
            size = max(_length(left) * _times(right), _length(right) * _times(left), _digits(left) + _digits(right))
        elif operator == "**":
            size = _digits(left) * _times(right)
        else:
            size = _length(left) + _length(right)
        if size > MOST:
            raise Excess(TEMPLATE_TOO_LARGE)
        return super().call_binop(context, operator, left, right)


def _length(value: Any) -> int:
    return len(value) if isinstance(value, (str, bytes, list, tuple)) else 0


def _times(value: Any) -> int:
    return int(value) if isinstance(value, int) else 0


def _digits(value: Any) -> int:
    return value.bit_length() // 3 + 1 if isinstance(value, int) and abs(value) > 1 else 0


@contextmanager
def bounded() -> Iterator[None]:
    """Lets the process grow by so much, else Python raises MemoryError; does nothing on systems that cannot do so."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as sizes:
            pages = int(sizes.read().split()[0])
        before = resource.getrlimit(resource.RLIMIT_AS)
        allowed = [pages * resource.getpagesize() + MEMORY, *(size for size in before if size >= 0)]
        resource.setrlimit(resource.RLIMIT_AS, (min(allowed), before[1]))
    except (ImportError, OSError, ValueError):
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@contextmanager
def limited() -> Iterator[None]:
    """Counts the lines of templates and of Jinja that run in this thread; raises Excess where they are too many."""
    left = LINES

    def line(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise Excess(TEMPLATE_TOO_LONG)
        return line

    def called(frame: FrameType, event: str, arg: Any) -> Any:
        file = frame.f_code.co_filename
        return line if file.endswith(".j2") or file.startswith(_JINJA) else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)
