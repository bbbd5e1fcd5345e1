"""What may happen to a process while it writes an output folder, run in a process that may fork.

    python -m tests.emit.ordeals ORDEAL=TIMES... SEED FOLDER

prints how often each was gone through. Each ends with the same questions: is every file whole, the old one or the new
one; does the next write succeed, also one of other contents; and does nothing else lie about then.
"""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from attrs import evolve

from llmplan.answer.schema.solution import Solution
from llmplan.emit.exclusive import shared
from llmplan.emit.folder import Folder
from llmplan.emit.render import render
from llmplan.emit.targets import written
from llmplan.emit.write import Outcome, write
from tests.emit.samples import emitting, having, solution, value

LLAMA = solution()
CALLS = ("open", "fsync", "link", "replace", "unlink", "mkdir", "scandir", "close")


def texts(plan: Solution) -> dict[str, str]:
    files, problems = render(plan)
    assert not problems
    return files


def gpus(count: int, base: Solution = LLAMA) -> Solution:
    nodes = value("hardware.nodes", count / 8, f"{count // 8} nodes")
    return having(base, value("hardware.gpus", float(count), f"{count} GPUs", "GPU"), nodes)


OLD, NEW, NEXT = (
    texts(LLAMA),
    texts(emitting(gpus(96), "deepspeed")),
    texts(emitting(gpus(128), "accelerate", "report")),
)


def put(folder: Path, contents: dict[str, str]) -> Outcome:
    return write(Folder(folder, names=written()), contents)


def state(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()} if folder.is_dir() else {}


def temporary(name: str) -> bool:
    return name.endswith((".new", ".old"))


def whole(folder: Path, *choices: dict[str, str]) -> None:
    """Every file is one of these, and the next write is as if nothing had happened, whatever it writes."""
    for name, text in state(folder).items():
        assert temporary(name) or text in [choice.get(name) for choice in choices], f"{name} is not whole"
    done = put(folder, NEXT)
    assert not done.problems and not done.left, done
    assert state(folder) == NEXT, sorted(state(folder))


def child(act: Callable[[], object]) -> int:
    """Forks; returns the process, which exits with 0 if the act returned nothing that is false."""
    process = os.fork()
    if process:
        return process
    code = 4
    try:
        code = 0 if act() is not False else 3
    except (AssertionError, OSError) as error:
        print(type(error).__name__, error, file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def ended(process: int) -> int:
    """The signal that ended a process as a negative number, or its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def at_call(name: str, number: int, act: Callable[[], object], after: bool) -> None:
    """Has a call of `os` do something before, or after, its so-manyth time."""
    real, count = getattr(os, name), 0

    def counted(*args: Any, **kwargs: Any) -> Any:
        nonlocal count
        count += 1
        if count == number and not after:
            act()
        result = real(*args, **kwargs)
        if count == number and after:
            act()
        return result

    setattr(os, name, counted)


def over_calls(base: Path, points: list[Any], most: int, attempt: Callable[[Path, Any, int], bool]) -> int:
    """An attempt at the first such call of each point, at the second and so on, each in a folder of its own.

    Args:
        points: What is done, where; an attempt gets one of them.
        attempt: Whether there were as many calls.
    """
    tried = 0
    for point in points:
        for number in range(1, 100):
            folder = base / f"{tried}"
            if not attempt(folder, point, number):
                break
            tried += 1
            whole(folder, OLD, NEW)
            if tried >= most:
                return tried
    return tried


def killed_at_calls(base: Path, most: int, seed: int) -> int:
    """A kill before and after each call that touches the disk, in a new folder and in one with older files."""

    def dies(folder: Path, call: str, number: int, after: bool) -> None:
        at_call(call, number, lambda: os.kill(os.getpid(), signal.SIGKILL), after)
        put(folder, NEW)

    def attempt(folder: Path, point: tuple[str, bool, bool], number: int) -> bool:
        call, after, fresh = point
        if not fresh:
            put(folder, OLD)
        return ended(child(partial(dies, folder, call, number, after))) == -signal.SIGKILL

    points = [(call, after, fresh) for call in CALLS for after in (False, True) for fresh in (False, True)]
    random.Random(seed).shuffle(points)
    return over_calls(base, points, most, attempt)


def failed_at_calls(base: Path, most: int, seed: int) -> int:
    """An error of the disk instead of each such call, or Ctrl-C around it: all is as before, or all is new."""

    def fails(folder: Path, call: str, number: int, after: bool, error: BaseException) -> bool:
        met = False

        def act() -> None:
            nonlocal met
            met = True
            raise error

        at_call(call, number, act, after)
        try:
            problems = put(folder, NEW).problems
        except KeyboardInterrupt:
            problems = ()
        codes = [problem.code for problem in problems]
        assert codes in ([], ["E0505"]), problems
        return met

    def attempt(folder: Path, point: tuple[str, bool, BaseException, dict[str, str]], number: int) -> bool:
        call, after, error, before = point
        if before:
            put(folder, before)
        met = ended(child(partial(fails, folder, call, number, after, error)))
        assert met in (0, 3)
        left = {name: text for name, text in state(folder).items() if not temporary(name)}
        assert left in (before, NEW), sorted(left)
        return met != 3

    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    points = [(call, False, full) for call in CALLS if call != "close"]
    points += [(call, after, KeyboardInterrupt()) for call in CALLS for after in (False, True)]
    random.Random(seed).shuffle(points)
    return over_calls(base, [(*point, before) for point in points for before in ({}, OLD)], most, attempt)


def killed_at_random(base: Path, most: int, seed: int) -> int:
    """A kill at any moment of writes that go on and on."""
    choice = random.Random(seed)

    def forever(folder: Path) -> None:
        while True:
            for contents in (OLD, NEW):
                assert not put(folder, contents).problems

    for number in range(most):
        folder = base / f"{number % 7}"
        process = child(partial(forever, folder))
        time.sleep(choice.uniform(0.0, 0.05))
        os.kill(process, signal.SIGKILL)
        assert ended(process) == -signal.SIGKILL
        if number % 3:
            whole(folder, OLD, NEW, NEXT)
    return most


def no_space(base: Path, most: int, seed: int) -> int:
    """A file system that takes so many bytes of a file and no more: every file's write fails, at any byte."""

    def full(folder: Path, limit: int) -> bool:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        problems = put(folder, NEW).problems
        return [problem.code for problem in problems] == ["E0505"] and "too large" in problems[0].message

    sizes = sorted(len(text.encode()) for text in NEW.values())
    limits = {limit for size in sizes for limit in (0, 1, size // 2, size - 1, size)} - {sizes[-1]}
    tried = random.Random(seed).sample(sorted(limits), min(most, len(limits)))
    for limit in tried:
        for before in ({}, OLD):
            folder = base / f"{limit}-{len(before)}"
            if before:
                put(folder, before)
            assert ended(child(partial(full, folder, limit))) == 0
            assert state(folder) == before and folder.exists() == bool(before)
    return 2 * len(tried)


def at_once(base: Path, most: int, seed: int) -> int:
    """Eight processes that write one folder again and again, and a reader that never sees a mixture."""
    folder = base / "one"
    sets = [
        texts(emitting(gpus(8 * (number + 1)), *("deepspeed", "accelerate")[: 1 + number % 2])) for number in range(8)
    ]

    def again(contents: dict[str, str]) -> None:
        for _ in range(most):
            assert not put(folder, contents).problems

    processes = [child(partial(again, contents)) for contents in sets]
    for _ in range(most):
        with shared(folder):
            assert state(folder) in [{}, *sets]
    assert [ended(process) for process in processes] == [0] * 8
    assert state(folder) in sets

    folder = base / "owned"
    names = [f"{number}.plan" for number in range(8)]
    for name in names:
        (base / name).touch()

    def owns(name: str) -> bool:
        found = texts(evolve(LLAMA, plan=name))
        problems = write(Folder(folder, root=base, names=written()), found).problems
        assert [problem.code for problem in problems] in ([], ["E0509"])
        return not problems

    codes = [ended(process) for process in [child(partial(owns, name)) for name in names]]
    assert sorted(codes) == [0] + [3] * 7, codes
    assert state(folder) == texts(evolve(LLAMA, plan=names[codes.index(0)]))

    folders = [base / "eight" / str(number) for number in range(8)]
    processes = [child(partial(put, folder, contents)) for folder, contents in zip(folders, sets)]
    assert [ended(process) for process in processes] == [0] * 8
    assert [state(folder) for folder in folders] == sets
    return 8 * most


if __name__ == "__main__":
    *ordeals, start, within = sys.argv[1:]
    for ordeal in ordeals:
        name, _, number = ordeal.partition("=")
        with tempfile.TemporaryDirectory(dir=within) as place:
            print(globals()[name](Path(place).resolve(), int(number), int(start)))
