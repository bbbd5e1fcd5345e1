"""Templates compiled while the plan is solved: by a fork of this process, which sends back what it made.

Compiling them takes as long as solving a common plan, and needs nothing of the answer. What is sent comes from the fork alone
and is never kept in a file that has a name, so no cache is trusted with code. Where a fork is not possible or not safe, or
fails, templates are compiled when they are needed; what is written is the same.
"""

from __future__ import annotations

import marshal
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from llmplan.emit.targets import texts

if TYPE_CHECKING:
    from llmplan.emit.compiled import Codes

_THREADED = "numpy"
"""Once it is loaded there may be threads that Python does not know of."""


_open = False
_begun: _Fork | None = None


@contextmanager
def compiling() -> Iterator[None]:
    """While this is open, `begin` begins, and what it compiled is there for `render`."""
    global _open, _begun
    _open = _possible()
    try:
        yield
    finally:
        begun, _open, _begun = _begun, False, None
        if begun is not None:
            begun.end()


def begin(emitted: Sequence[str], templates: Path | None) -> None:
    """Begins to compile what a plan that emits these targets needs, if a caller wants it."""
    global _begun
    if _open and _begun is None:
        _begun = _Fork(emitted, templates)


def finished() -> Codes:
    """What was begun, once it is done; nothing if nothing was."""
    return _begun.result() if _begun is not None else {}


def _possible() -> bool:
    """A fork has one thread of those that there are, and whatever another of them held is held for ever."""
    alone = threading.active_count() == 1 and _THREADED not in sys.modules
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return alone and usable > 1 and hasattr(os, "fork")


class _Fork:
    def __init__(self, emitted: Sequence[str], templates: Path | None) -> None:
        self._pid = 0
        self._file: IO[bytes] | None = None
        with suppress(OSError):
            self._file = tempfile.TemporaryFile()  # noqa: SIM115, `end` closes it
            # Ctrl-C is for the parent: the fork ends without a word, and cleans up nothing that is not its own.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
            try:
                self._pid = os.fork()
                if self._pid == 0:
                    _leave_with(self._file, emitted, templates)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def result(self) -> Codes:
        if self._pid == 0 or self._file is None:
            return {}
        self._wait()
        self._file.seek(0)
        with suppress(OSError, EOFError, ValueError, TypeError):
            found: Codes = marshal.load(self._file)
            return found
        return {}

    def end(self) -> None:
        if self._pid:
            with suppress(OSError):
                os.kill(self._pid, signal.SIGKILL)
            self._wait()
        if self._file is not None:
            self._file.close()

    def _wait(self) -> None:
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        self._pid = 0


def _leave_with(file: IO[bytes], emitted: Sequence[str], templates: Path | None) -> None:
    """The fork's life."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        # Whoever reads what the parent writes waits until nobody can write any more.
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        marshal.dump(_compiled(emitted, templates), file)
        file.flush()
    finally:
        os._exit(0)


def _compiled(emitted: Sequence[str], templates: Path | None) -> Codes:
    from jinja2 import TemplateError

    from llmplan.emit.environment import made

    codes: Codes = {}
    environment = made(templates, codes)
    for name in texts(emitted, templates):
        # The parent meets what is wrong with it too, and says so.
        with suppress(TemplateError):
            environment.get_template(name)
    return codes
