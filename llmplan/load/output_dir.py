"""Where a plan may write: what `into` says, within the plan's project.

Takes the text, the plan and its project root, and says what is wrong. A plan is often somebody else's: it names a
folder of its own project, as `use` does, and only the command line may name any other.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

from llmplan.diagnostics import Diagnostic, files
from llmplan.escape import visible_line
from llmplan.load.files import outside
from llmplan.source import Span

_GIT = ("HEAD", "objects", "refs")
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
"""Names that Windows keeps for devices, whatever follows a point."""


def folder(plan: str, into: str) -> Path:
    """The folder that a plan writes to: as it says, relative to the plan, else `build/<plan name>` beside it."""
    return _beside(plan) / (into or _usual(plan))


def _beside(plan: str) -> Path:
    return Path() if plan == "-" else Path(plan).parent


def _usual(plan: str) -> str:
    return f"build/{'stdin' if plan == '-' else Path(plan).stem}"


def refused(plan: str, into: str, at: Span | None, root: Path) -> Diagnostic | None:
    """E0508 where a plan must not write.

    Args:
        into: What the plan says, empty if nothing.
        at: Where it says so, if it does.
    """
    wrong = _misspelt(into, at) if into else None
    if wrong is not None:
        return wrong
    target = folder(plan, into)
    name = into or target.as_posix()
    try:
        resolved, beside = target.resolve(), _beside(plan).resolve()
        # The same without following links in what the plan says.
        straight = Path(os.path.normpath(beside / (into or _usual(plan))))
        within = root != root.parent and resolved.is_relative_to(root)
        if not within and (into or resolved != straight):
            linked = resolved != straight and straight.is_relative_to(root if into else beside)
            return files.not_into(at, name, "a symbolic link leads out of the project" if linked else outside(root))
    except (OSError, ValueError, RuntimeError):
        return files.not_into(at, name, "it is not a valid path")
    if in_git(resolved, root):
        return files.not_into(at, name, "git keeps its own files there")
    return None


def named(folder: Path) -> Diagnostic | None:
    """E0508 where no command must write either: among the files of git, and in a folder whose name cannot be seen."""
    if visible_line(folder.as_posix()) != folder.as_posix():
        why = "it contains a character that cannot be seen"
        return files.not_into(None, folder.as_posix(), why, "write the path without it")
    try:
        resolved = folder.resolve()
    except (OSError, ValueError, RuntimeError):
        return files.not_into(None, folder.as_posix(), "it is not a valid path", "name another folder")
    if in_git(resolved):
        return files.not_into(None, folder.as_posix(), "git keeps its own files there", "name another folder")
    return None


def in_git(folder: Path, root: Path | None = None) -> bool:
    """Whether a resolved path lies among the files of git, in `.git` or in a repository without a work tree.

    Args:
        root: Where to stop looking, the root of the file system if None.
    """
    for path in (folder, *folder.parents):
        if path.name.casefold() == ".git" or all(os.path.exists(path / part) for part in _GIT):
            return True
        if path == root:
            return False
    return False


def _misspelt(into: str, at: Span | None) -> Diagnostic | None:
    """E0508 for a text that means another folder than it seems to, or one on some systems only."""
    if visible_line(into) != into:
        return files.not_into(at, into, "it contains a character that cannot be seen", "write the path without it")
    if "\\" in into:
        return files.not_into(at, into, "it contains a backslash", "separate folders by `/`", into.replace("\\", "/"))
    if into.startswith("~"):
        rest = into.partition("/")[2].lstrip("/")
        return files.not_into(at, into, "`~` is not expanded", "name a folder relative to the plan", rest)
    if "{" in into:
        return files.not_into(at, into, "values cannot stand in it", "name a folder relative to the plan")
    parts = [part for part in into.split("/") if part not in ("", ".", "..")]
    if any(part.startswith(".") and part.casefold() != ".git" for part in parts):
        return files.not_into(at, into, "other programs keep their settings in hidden folders")
    if any(part.endswith((".", " ")) or part.partition(".")[0].casefold() in _DEVICES for part in parts):
        return files.not_into(at, into, "it names no folder on Windows", "name a folder relative to the plan")
    if PureWindowsPath(into).drive and not PurePosixPath(into).is_absolute():
        return files.not_into(at, into, "it names a drive", "name a folder relative to the plan")
    return None
