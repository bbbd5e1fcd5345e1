"""Runs the parse and check of an input in this process, without the command around it, and tells what is wrong.

What no input changes is read once: the library's texts, the targets, the tables for configurations. Nothing is kept
between inputs but what a process keeps that checks one plan after another, as an editor's does. Beyond a traceback,
more CPU time or memory than `watch` allows, and a character that steers a terminal in a diagnostic, nothing is looked
for.
"""

from __future__ import annotations

import json
import os
import time
from functools import cache
from pathlib import Path

from llmplan import frontend
from llmplan.backtest.base import Base
from llmplan.backtest.case import Damaged, cases
from llmplan.backtest.predict import predict
from llmplan.backtest.summary import as_json
from llmplan.check import library
from llmplan.diagnostics import Diagnostic
from llmplan.diagnostics.render_text import render
from llmplan.emit import reads as emitted
from llmplan.emit.targets import targets
from llmplan.load.files import Unreadable, decode
from llmplan.request import Request
from tests.fuzz import watch
from tests.fuzz.case import Case


class Swift:
    """The parse and check of cases that `pieces` makes, in one folder."""

    def __init__(self, room: Path) -> None:
        self._room = room
        room.mkdir(parents=True, exist_ok=True)
        (room / "pyproject.toml").touch()
        os.chdir(room)
        self._known = targets(None)
        texts = library.library_files()
        of_plans = library.library_files
        library.library_files = lambda root=None, templates=None: (
            of_plans(root, templates) if root or templates else texts
        )
        emitted.load = cache(emitted.load)

    def complaints(self, case: Case, seen: watch.Seen) -> list[str]:
        """What is wrong; nothing, as a rule."""
        arguments = case.runs[0].arguments
        found: list[str] = []
        code: int | None = None
        began = time.process_time()
        try:
            with watch.limit():
                code, said = self._run(case, arguments)
                steers = watch.STEERS.search(said)
                if steers:
                    found.append(f"U+{ord(steers[0]):04X} raw: {said[max(0, steers.start() - 60) : steers.end()]!r}")
        except watch.TooLong as late:
            found.append(f"over {watch.SECONDS:g} s of CPU time, at {watch.where(late)}")
        except Exception as raised:  # noqa: BLE001 - that is what is looked for
            found.append(f"raised {type(raised).__name__}: {raised} at {watch.where(raised)}")
        seen.note(case.about, code, time.process_time() - began)
        held = watch.peak()
        if held > watch.MEBIBYTES >= seen.mebibytes:
            found.append(f"memory: {held:.0f} MiB")
        seen.mebibytes = max(seen.mebibytes, held)
        return found

    def _run(self, case: Case, arguments: tuple[str, ...]) -> tuple[int, str]:
        if arguments[0] == "backtest":
            return self._record(case.files[0].content)
        if len(case.files) > 2:  # a library
            return self._library(case, arguments[1])
        for file in case.files[1:]:
            (self._room / file.name).write_bytes(file.content)
        settings = [text.partition("=")[::2] for text in arguments[3::2]]
        try:
            asked = Request("a.plan", decode(case.files[0].content), settings=settings)
        except Unreadable as why:
            return 2, str(why)
        checked = frontend.analyse(asked, self._known, emitted.reads, checking=True)
        return _said(checked.diagnostics)

    def _library(self, case: Case, name: str) -> tuple[int, str]:
        case.lay(self._room)
        return _said(frontend.library_file(name, self._room.resolve()).diagnostics)

    def _record(self, content: bytes) -> tuple[int, str]:
        try:
            read = cases(content)
        except Damaged as wrong:
            return 2, str(wrong)
        json.dumps(as_json([predict(_base(), case) for case in read]), allow_nan=False)
        return 0, ""


def _said(diagnostics: tuple[Diagnostic, ...]) -> tuple[int, str]:
    return int(any(one.severity == "error" for one in diagnostics)), render(diagnostics)


@cache
def _base() -> Base:
    return Base.of()
