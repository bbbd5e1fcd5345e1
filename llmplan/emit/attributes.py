"""Advice to mark generated pictures in a repository's `.gitattributes`, so that code hosts fold them in a diff.

Input: the folder before anything is written, and the files to write. Output: a note, once, where pictures come into a
folder of a repository whose `.gitattributes` does not mention generated files.
"""

from __future__ import annotations

from pathlib import Path

from llmplan.diagnostics import Diagnostic, files

_NAME = ".gitattributes"
_WORD = "linguist-generated"
_MOST = 100_000


def unmarked(folder: Path, contents: dict[str, str], also: str) -> Diagnostic | None:
    """W0616 where pictures are about to be written into a folder for the first time.

    Args:
        also: A file that is generated too and long.
    """
    pictures = [name for name in contents if name.endswith(".svg")]
    try:
        if not pictures or any((folder / name).exists() for name in pictures):
            return None
        repository = next((parent for parent in _upwards(folder) if (parent / ".git").exists()), None)
        if repository is None or any(_WORD in _text(parent / _NAME) for parent in _upwards(folder, repository)):
            return None
    except OSError:
        return None
    return files.unmarked([f"{name} {_WORD}" for name in ("*.svg", also)])


def _upwards(folder: Path, last: Path | None = None) -> list[Path]:
    path = folder.resolve()
    found = [path, *path.parents]
    return found if last is None else found[: found.index(last) + 1]


def _text(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(_MOST)
