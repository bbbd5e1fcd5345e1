"""Work in numbered parts, on all cores where that pays.

The first parts are done here. If what is left would take long, helpers are started: processes of
their own (numpy on arrays that fit the cache holds the interpreter's lock too long for threads to
pay), each fed by a thread. Which core does a part makes no difference to what comes out, and the
results are taken in the order of the parts, so that they are the same with and without helpers. A
helper that fails is done without.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from time import monotonic
from typing import Any, BinaryIO, Protocol

PAYS = 1.0
"""Seconds of work left from which on helpers are started; each needs a quarter of one to start."""

MOST = 8
"""No more cores than that are used: each takes its own memory."""

_WAIT = 0.1  # seconds; waiting for ever could not be interrupted on every system


class Task(Protocol):
    """Work in parts. It is pickled for the helpers, and so is what a part gives."""

    def part(self, number: int) -> Any: ...


def cores() -> int:
    """How many processes may run at once."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(found, MOST)


def run(task: Task, count: int, take: Callable[[Any], bool], alone: bool = False) -> None:
    """Does the parts 0, 1, 2 … of a task and hands over what each gives, in this order.

    Args:
        take: Is given the results; the work ends when it returns True.
        alone: True to do without helpers.
    """
    most = 1 if alone or not sys.executable or getattr(sys, "frozen", False) else cores()
    started = monotonic()
    for number in range(count):
        if number and most > 1 and (monotonic() - started) / number * (count - number) > PAYS:
            _Team(task, number, count).run(take, most - 1)
            return
        if take(task.part(number)):
            return


class _Team:
    """This process and its helpers at work on the parts from one on."""

    def __init__(self, task: Task, first: int, count: int) -> None:
        self._task = task
        self._count = count
        self._next = first
        self._again: list[int] = []  # what a helper failed to do
        self._done: dict[int, Any] = {}
        self._news = threading.Condition()

    def run(self, take: Callable[[Any], bool], helpers: int) -> None:
        first, sent = self._next, pickle.dumps(self._task)
        processes: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(helpers):
                process = _start()
                if process is not None:
                    processes.append(process)
                    threading.Thread(target=self._feed, args=(process, sent), daemon=True).start()
            for number in range(first, self._count):
                if take(self._result(number)):
                    return
        finally:
            for process in processes:
                process.kill()
            for process in processes:
                process.wait()

    def _result(self, number: int) -> Any:
        """What a part gives; while it is being done elsewhere others are done here."""
        while True:
            with self._news:
                if number in self._done:
                    return self._done.pop(number)
                mine = self._take()
                if mine is None:
                    self._news.wait(_WAIT)
            if mine is not None:
                found = self._task.part(mine)
                with self._news:
                    self._done[mine] = found

    def _take(self) -> int | None:
        """The next part that nobody does."""
        if self._again:
            return self._again.pop()
        if self._next == self._count:
            return None
        self._next += 1
        return self._next - 1

    def _feed(self, process: subprocess.Popen[bytes], sent: bytes) -> None:
        """Hands parts to a helper until none is left or it fails; its part then goes to another."""
        assert process.stdin is not None and process.stdout is not None
        number: int | None = None
        try:
            with process.stdin, process.stdout:
                process.stdin.write(sent)
                while True:
                    with self._news:
                        number = self._take()
                    if number is None:
                        return
                    pickle.dump(number, process.stdin)
                    process.stdin.flush()
                    found = pickle.load(process.stdout)
                    with self._news:
                        self._done[number] = found
                        self._news.notify()
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            with self._news:
                if number is not None and number not in self._done:
                    self._again.append(number)
                self._news.notify()


def _start() -> subprocess.Popen[bytes] | None:
    """A helper with the modules of this process, or None where the system starts none."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve()"
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    try:
        return subprocess.Popen([sys.executable, "-c", code], **streams)  # type: ignore[call-overload,no-any-return]
    except OSError:
        return None


def serve() -> None:
    """What a helper does until its input ends, so also when the process that started it is no more."""
    # Who interrupts means the process that is waited for, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answer(sys.stdin.buffer, sys.stdout.buffer)


def answer(source: BinaryIO, sink: BinaryIO) -> None:
    """Reads a task, then numbers of parts, and writes what each gives."""
    task: Task = pickle.load(source)
    while True:
        try:
            number = pickle.load(source)
        except EOFError:
            return
        pickle.dump(task.part(number), sink)
        sink.flush()
