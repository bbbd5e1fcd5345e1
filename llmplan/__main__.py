"""The command `llmplan`, also as `python -m llmplan`.

Ctrl-C always exits 130 silently: at once during start-up or on a second press, otherwise by an exception, so that
partial writes are rolled back and no fork or worker is left. SIGTERM does the same and exits 143. After the work is
done either comes too late, and the exit code is that of the work.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable
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

LACKS_MEMORY = b"llmplan: there is not enough memory\n"
"""Made at the start, when there was some."""

NUMPY = 80 * 2**20
"""The bytes that numpy and its OpenBLAS take when they are loaded. Where there are fewer, OpenBLAS ends the process."""

OF_SIGNAL = 128
"""What a shell adds to the number of the signal by which a process ended."""

STOPS = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""The signals that end a command, each with the handler that Python starts with."""


def main() -> None:
    """Runs the command line and exits with its code."""
    try:
        code = _run()
    except KeyboardInterrupt as stopped:
        # All is undone. An interrupted import can leave a lock behind that the interpreter's own end would wait for.
        _leave(_signal_of(stopped), None)
    except MemoryError:
        # So little is left that the command line cannot say it: no object is made, nothing is left to undo.
        os.write(2, LACKS_MEMORY)
        os._exit(2)
    gc.freeze()  # the interpreter looks for cycles once more when it ends
    sys.exit(code)


def _run() -> int:
    # A command that a shell starts in the background ignores interrupts, and goes on doing so.
    stops = [number for number, handler in STOPS.items() if signal.getsignal(number) is handler]
    _handle(stops, _leave)
    gc.set_threshold(*LET_GROW)
    os.environ.setdefault(ONE_THREAD, "1")
    sys.meta_path.insert(0, _Room())
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
    _handle(stops, _interrupt)
    code = cli.run(stopped=lambda: next((OF_SIGNAL + one for one in stops if signal.getsignal(one) is _leave), 0))
    _handle(stops, signal.SIG_IGN)
    return code


class _Room:
    """Finds no module, and no room for numpy where there is none: MemoryError, as for everything else."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Called before any module is loaded for the first time."""
        if name == "numpy":
            import mmap

            try:
                mmap.mmap(-1, NUMPY).close()
            except OSError as none:
                raise MemoryError from none


def _handle(stops: Iterable[int], handler: Callable[[int, FrameType | None], NoReturn] | signal.Handlers) -> None:
    for number in stops:
        signal.signal(number, handler)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """There is nothing to undo, or it was asked for twice."""
    os._exit(OF_SIGNAL + number)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    for other in STOPS:
        if signal.getsignal(other) is _interrupt:
            signal.signal(other, signal.SIG_IGN)  # undoing what was half done is interrupted by the same signal alone
    signal.signal(number, _leave)
    raise KeyboardInterrupt(number)


def _signal_of(stopped: BaseException | None) -> int:
    """The signal that an exception comes from; another one than `_interrupt` raises is of Ctrl-C."""
    return next(iter(stopped.args), signal.SIGINT) if stopped is not None else signal.SIGINT


def _unraisable(what: sys.UnraisableHookArgs) -> None:
    """An interrupt in a place from which Python lets no exception out, as while it frees an object."""
    if issubclass(what.exc_type, KeyboardInterrupt):
        _leave(_signal_of(what.exc_value), None)
    sys.__unraisablehook__(what)


if __name__ == "__main__":
    main()
