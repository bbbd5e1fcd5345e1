"""The plans of a folder, for a command over a whole repository.

Input: a folder. Output: the plans below it that emit files, and those that emit none. Hidden folders, links to folders
and what git ignores are left out; a folder with a `.git` of its own, as a submodule has, is asked by itself.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from llmplan.load import files
from llmplan.source import Source
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements

_PATIENCE = 60
_GIT = ("git", "-c", "core.fsmonitor=false")
"""A repository may name a command that git would start to look for changes."""


@frozen
class Plans:
    """What stands below a folder, in the order of the names.

    Attributes:
        emitting: Plans that write files. One that cannot be read or parsed counts: its compilation says why.
        others: Plans that write none, as files that other plans use.
    """

    emitting: tuple[str, ...]
    others: tuple[str, ...]


def plans_below(folder: str) -> Plans:
    """All plans below a folder."""
    emitting: list[str] = []
    others: list[str] = []
    for path in sorted(_plans(Path(folder))):
        (emitting if _emits(path) else others).append(os.path.normpath(path))
    return Plans(tuple(emitting), tuple(others))


def _plans(top: Path) -> Iterator[Path]:
    repositories: dict[Path, list[Path]] = {}
    owner = {top: top}
    for place, folders, names in os.walk(top):
        here = Path(place)
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        root = here if (here / ".git").exists() else owner[here]
        owner.update((here / one, root) for one in folders)
        plans = [here / one for one in names if one.endswith(files.PLAN) and not one.startswith(".")]
        repositories.setdefault(root, []).extend(plans)
    for root, plans in repositories.items():
        ignored = _ignored(root, [path.relative_to(root) for path in plans])
        yield from (path for path in plans if path.relative_to(root) not in ignored)


def _ignored(root: Path, paths: list[Path]) -> set[Path]:
    """Those that git ignores; none where there is no repository, or no git."""
    if not paths:
        return set()
    asked = b"\0".join(os.fsencode(path) for path in paths)
    command = [*_GIT, "-C", str(root), "check-ignore", "-z", "--stdin"]
    try:
        done = subprocess.run(command, input=asked, capture_output=True, check=False, timeout=_PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return set()
    return {Path(os.fsdecode(path)) for path in done.stdout.split(b"\0") if path}


def _emits(path: Path) -> bool:
    try:
        text = files.read(path)
    except files.Unreadable:
        return True
    tree, problems = parse(Source(str(path), text))
    return bool(problems) or bool(Statements.of(tree.statements).emits)
