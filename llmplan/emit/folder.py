"""The output folder of a plan, and whose it is: a folder holds the files of one plan.

Which plan that is stands in the `solution.json` there, by its path from the project root. A second plan is refused,
unless the first is gone from the project: then it was renamed or removed, and its folder is free.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from attrs import frozen

from llmplan.diagnostics import Diagnostic, files
from llmplan.emit.lock import Lock, read_lock
from llmplan.source import Span

_STDIN = "<stdin>"
_TRIES = 100


@frozen
class Folder:
    """Where a plan's files go.

    Attributes:
        name: How messages call it; its path if empty.
        root: The project root of the plan, None if it has none; `plan` the plan's own file.
        into: What the plan says, empty if it is not the plan that names the folder; `into_at` where.
        names: What targets write, beside what is written now: no other file is ever removed.
    """

    path: Path
    name: str = ""
    root: Path | None = None
    plan: Path | None = None
    into: str = ""
    into_at: Span | None = None
    names: frozenset[str] = frozenset()

    @property
    def shown(self) -> str:
        return self.name or str(self.path)

    def refused(self, plan: str, lock: Lock) -> Diagnostic | None:
        """E0509 if the files there are those of another plan of the project, or outside of it of any other."""
        owner = lock.plan
        if owner in ("", plan) or self._is_free(owner):
            return None
        return files.of_another_plan(self.into_at if self.into else None, self.shown, owner, self._own(plan))

    def _is_free(self, owner: str) -> bool:
        """Whether the owner is this plan under another name, or is there no more."""
        path = self.path.resolve()
        # A project may lie within another, and each calls its plans by their path from its own root. So the same plan
        # has another name once `.git` is made above it.
        named = [parent / owner for parent in path.parents if os.path.lexists(parent / owner)]
        if any(self._is_plan(found) for found in named):
            return True
        inside = self.root is not None and path.is_relative_to(self.root)
        return inside and owner != _STDIN and not named

    def _is_plan(self, path: Path) -> bool:
        try:
            return self.plan is not None and os.path.samefile(self.plan, path)
        except OSError:
            return False

    def _own(self, plan: str) -> str:
        """An `into` that gives a plan a folder of its own within this one."""
        stem = "stdin" if plan == _STDIN else re.sub(r"[^\w.-]", "-", PurePosixPath(plan).stem)
        within = PurePosixPath(self.into or ".")
        for number in range(1, _TRIES):
            own = stem if number == 1 else f"{stem}-{number}"
            if read_lock(self.path / own).plan in ("", plan):
                break
        return (within / own).as_posix()
