"""Runs a case in this process and tells what is wrong with how its commands behaved.

Whatever the input, a command ends with one of its exit codes within seconds and within memory, prints nothing that
steers a terminal and nothing that claims to be JSON and is not, and writes nothing outside the folder in which it was
asked to.
"""

from __future__ import annotations

import io
import json
import os
import re
import resource
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

from attrs import define, field

from llmplan import cli
from tests.fuzz.case import Case, Run

SECONDS = 10.0
"""CPU time that one command may take."""

MEBIBYTES = 512
"""Memory that the process may ever have held."""

CODES = (0, 1, 2, 3)

STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def peak() -> float:
    """MiB that this process has held at most, or one that it started.

    Where the system tells it, only since the program began: what `getrusage` says of a process goes back to the one
    that started it, which may have held more.
    """
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        held = re.search(r"^VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        held = None
    own = own if held is None else int(held.group(1))
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024


class TooLong(BaseException):
    """A command that has used up its time; no handler for exceptions keeps it."""


@define
class Seen:
    """What the commands so far cost at most."""

    runs: int = 0
    seconds: float = 0.0
    slowest: str = ""
    codes: dict[int | None, int] = field(factory=dict)
    mebibytes: float = 0.0

    def note(self, what: str, code: int | None, spent: float) -> None:
        """Counts a command that took so many seconds of CPU time."""
        self.runs += 1
        self.codes[code] = self.codes.get(code, 0) + 1
        if spent > self.seconds:
            self.seconds, self.slowest = spent, what


def complaints(case: Case, folder: Path, seen: Seen) -> list[str]:
    """Lays a case into an empty folder, runs it there, and returns what is wrong; nothing, as a rule."""
    room = folder / "room"  # what is written beside it was written where it must not be
    room.mkdir(parents=True)
    (room / "pyproject.toml").touch()  # the project's root
    case.lay(room)
    before, found = os.getcwd(), []
    os.chdir(room)
    try:
        for run in case.runs:
            found += [f"{json.dumps(run.arguments)}: {wrong}" for wrong in _run(run, seen)]
    finally:
        os.chdir(before)
    strays = sorted(path.name for path in folder.iterdir() if path != room)
    found += [f"written outside the project: {', '.join(strays)}"] * bool(strays)
    held = peak()
    if held > MEBIBYTES >= seen.mebibytes:  # the first that went over
        found.append(f"memory: {held:.0f} MiB")
    seen.mebibytes = max(seen.mebibytes, held)
    return found


def _run(run: Run, seen: Seen) -> Iterator[str]:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    started = _spent()
    code: int | None = None
    try:
        with _streams(out, err), limit():
            code = cli.run(run.arguments)
    except TooLong as late:
        yield f"over {SECONDS:g} s of CPU time, at {where(late)}"
    except BaseException as raised:  # noqa: BLE001 - `run` returns, whatever happens; SystemExit is wrong too
        yield f"raised {type(raised).__name__}: {raised} at {where(raised)}"
    spent = _spent() - started
    seen.note(json.dumps(run.arguments), code, spent)
    if spent > SECONDS and code is not None:
        yield f"took {spent:.1f} s of CPU time"
    yield from _said(run, code, _text(out), _text(err))


VALUED = frozenset(
    {"-o", "-e", "--out", "--set", "--scenario", "--root", "--limit", "--effort", "--templates", "--depth", "--format"}
)
"""Options whose value may look like another option."""


def _said(run: Run, code: int | None, out: str, err: str) -> Iterator[str]:
    if "E0901" in err and "explain" not in run.arguments[:1] or "Traceback" in err:
        yield f"E0901: {err[err.find('E0901') :][:200]}"
    if code is not None and code not in CODES:
        yield f"exit code {code}"
    for name, text in (("output", out), ("error", err)):
        steers = STEERS.search(text)
        if steers:
            yield f"U+{ord(steers[0]):04X} raw on standard {name}: {text[max(0, steers.start() - 60) : steers.end()]!r}"
    options = run.arguments[: run.arguments.index("--")] if "--" in run.arguments else run.arguments
    options = [option for before, option in zip(("", *options), options) if before not in VALUED]
    if out and ("--json" in options or run.arguments[1:3] == ("--format", "json")):
        try:
            json.loads(out, parse_constant=_refused)
        except ValueError as why:
            yield f"no JSON: {why}"
    if run.code not in (None, code):
        yield f"exit code {code}, expected {run.code}; it says: {err}"
    yield from (f"does not say {text!r} but: {out}{err}" for text in run.says if text not in out + err)
    yield from (f"says {text!r}: {out}{err}" for text in run.silent if text in out + err)


def _refused(name: str) -> NoReturn:
    raise ValueError(name)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    written = stream.buffer
    assert isinstance(written, io.BytesIO)
    return written.getvalue().decode("utf-8", "surrogateescape")


@contextmanager
def _streams(out: io.TextIOWrapper, err: io.TextIOWrapper) -> Iterator[None]:
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(b"")), out, err
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


@contextmanager
def limit() -> Iterator[None]:
    """Raises `TooLong` a little over the limit, so that a computation that just ends is told by its time."""

    def late(number: int, frame: FrameType | None) -> NoReturn:
        raise TooLong

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS * 1.2, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _spent() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def where(raised: BaseException) -> str:
    """The innermost places in llmplan, from outside to inside."""
    places = [at for at in traceback.extract_tb(raised.__traceback__) if f"{os.sep}llmplan{os.sep}" in at.filename]
    return " > ".join(f"{Path(at.filename).name}:{at.lineno}" for at in places[-4:])
