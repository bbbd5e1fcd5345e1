"""A note where a repository's `.gitignore` keeps the folder of the written files out of commits.

Input: the folder before anything is written, and the files to write. Output: a note, once, for a folder that the common
forms of a line in a `.gitignore` leave out: a name, a path from where the file lies, with `*`, `?` and `**`, and `!` to
take one back. A repository may exclude more, in files of its own that are not read here.
"""

from __future__ import annotations

import re
from pathlib import Path

from llmplan.diagnostics import Diagnostic, files

_NAME = ".gitignore"
_MOST = 100_000


def ignored(folder: Path, shown: str, contents: dict[str, str]) -> Diagnostic | None:
    """W0619 where files are about to be written for the first time into a folder that the repository leaves out."""
    try:
        path = folder.resolve()
        if any((path / name).exists() for name in contents):
            return None
        above = [path, *path.parents]
        repository = next((parent for parent in above if (parent / ".git").exists()), None)
        if repository is None:
            return None
        parts = path.relative_to(repository).parts
        for depth in range(1, len(parts) + 1):  # what lies in a folder that is left out cannot be taken back
            line = _last_match(repository, parts[:depth])
            if line is not None and not line[1].startswith("!"):
                return files.ignored(shown, "/".join((*line[0], _NAME)), line[1])
    except OSError:
        return None
    return None


def _last_match(repository: Path, parts: tuple[str, ...]) -> tuple[tuple[str, ...], str] | None:
    """The line that decides on a folder, and the folder whose `.gitignore` has it."""
    decisive = None
    for depth in range(len(parts)):
        file = repository.joinpath(*parts[:depth], _NAME)
        for line in _lines(file):
            if _matches(line, parts[depth:]):
                decisive = parts[:depth], line
    return decisive


def _lines(file: Path) -> list[str]:
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", errors="replace") as opened:
        lines = [line.strip() for line in opened.read(_MOST).splitlines()]
    return [line for line in lines if line.strip("!/") and not line.startswith("#")]


def _matches(line: str, parts: tuple[str, ...]) -> bool:
    """Whether a line means this very folder, given by its path from where the line stands."""
    pattern = line.removeprefix("!").rstrip("/")
    anchored = "/" in pattern
    return re.fullmatch(_expression(pattern.lstrip("/")), "/".join(parts) if anchored else parts[-1]) is not None


def _expression(pattern: str) -> str:
    pieces = {"**/": "(?:.*/)?", "/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(pieces.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*/|/\*\*|\*\*|\*|\?)", pattern))
