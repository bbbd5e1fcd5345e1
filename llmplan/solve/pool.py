"""The worker processes of one job: how they start, work and end.

They are spawned, not forked, and set up once. Ctrl-C goes to the parent, which ends its workers; they also end when the
parent is gone.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any

_HAND_OVER = 10.0  # seconds allowed for reading a result


class _Process(SpawnProcess):
    """A worker that does not run its parent's script."""

    def start(self) -> None:
        main = sys.modules["__main__"]
        # Without `if __name__ == "__main__"`, the parent's script would run again.
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            super().start()
        finally:
            sys.modules["__main__"] = main


class _Context(SpawnContext):
    Process = _Process


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Blocks Ctrl-C while a worker starts, so that the worker inherits ignoring it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Team:
    """The workers, as many as the system can start; they end when told to, and with their parent."""

    def __init__(self, job: object, workers: int) -> None:
        self._pool: ProcessPoolExecutor | None = None
        with suppress(OSError, ImportError, RuntimeError):
            context = _Context()
            ending, self._ending = context.Pipe(duplex=False)
            arguments = (pickle.dumps(job), ending)
            self._pool = ProcessPoolExecutor(workers, context, _set_up, arguments)

    def submit(self, part: int) -> Future[Any] | None:
        """Hands a part to a worker; None if there is no worker."""
        if self._pool is not None:
            # A worker that died breaks the pool (RuntimeError); a daemon process may not start any (AssertionError).
            with suppress(OSError, RuntimeError, AssertionError), _undisturbed():
                return self._pool.submit(_part, part)
        return None

    def end(self) -> None:
        if self._pool is not None:
            self._ending.close()
            self._pool.shutdown(cancel_futures=True)


_job: Any
_handing_over = threading.Lock()
"""In a worker: held except while a part is computed."""


def _set_up(job: bytes, ending: Connection) -> None:
    """Runs once in every worker."""
    global _job
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Anything that fails here fails in the first process too, which reports it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    _job = pickle.loads(job)
    _handing_over.acquire()
    threading.Thread(target=_end, args=(ending,), daemon=True).start()


def _part(number: int) -> Any:
    _handing_over.release()
    try:
        return _job.part(number)
    finally:
        _handing_over.acquire()


def _end(ending: Connection) -> None:
    """Ends a worker once the other end of a pipe is closed, but not while it writes a result: its reader would hang."""
    with suppress(EOFError, OSError):
        ending.recv()
    reader = parent_process()
    if reader is not None and reader.is_alive():
        _handing_over.acquire(timeout=_HAND_OVER)
    os._exit(0)
