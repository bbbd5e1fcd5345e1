"""The command `llmplan`, also as `python -m llmplan`.

Ctrl-C always exits 130 silently: at once during start-up or on a second press, otherwise by an exception, so that
partial writes are rolled back. After the work is done an interrupt comes too late, and the exit code is that of the
work.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

LET_GROW = (400_000, 100, 100)
"""Objects made between two looks for cycles, and looks at the new ones between two at the older. What a plan is
compiled from is made once and stays until the process ends, a million small objects and more; looking through all of
them again and again finds nothing and takes up to a third of the time."""

ONE_THREAD = "OPENBLAS_NUM_THREADS"
"""Of numpy no matrices are multiplied. Its threads would only wait, and a process that has some cannot be forked
safely.
"""

INTERRUPTED = 130


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        code = _run()
    except KeyboardInterrupt:
        # All is undone. An interrupted import can leave a lock behind that the interpreter's own end would wait for.
        _leave(signal.SIGINT, None)
    gc.freeze()  # the interpreter looks for cycles once more when it ends
    sys.exit(code)


def _run() -> int:
    # A command that a shell starts in the background ignores interrupts, and goes on doing so.
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, _leave)
    gc.set_threshold(*LET_GROW)
    os.environ.setdefault(ONE_THREAD, "1")
    try:
        from llmplan import cli
    except ImportError as missing:
        from llmplan.installation import about

        told = about(missing)
        if told is None:
            raise
        sys.stderr.write(f"{told}\n")
        return 2
    sys.unraisablehook = _unraisable
    if interruptible:
        signal.signal(signal.SIGINT, _interrupt)
    code = cli.run(interrupted=lambda: signal.getsignal(signal.SIGINT) is _leave)
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """There is nothing to undo, or it was asked for twice."""
    os._exit(INTERRUPTED)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, _leave)
    raise KeyboardInterrupt


def _unraisable(what: sys.UnraisableHookArgs) -> None:
    """An interrupt in a place from which Python lets no exception out, as while it frees an object."""
    if issubclass(what.exc_type, KeyboardInterrupt):
        _leave(signal.SIGINT, None)
    sys.__unraisablehook__(what)


if __name__ == "__main__":
    main()
