"""The files beside the real ones while a folder is written, and what a killed process has left of them.

`.NAME.MARK.new` holds what will be written, `.NAME.MARK.old` what was there. Only names that a target writes are ever
taken for one of these.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path

from attrs import frozen

NEW, OLD = "new", "old"
_NAME = re.compile(rf"\.(?P<file>.+)\.[0-9a-f]{{8}}\.(?P<sort>{NEW}|{OLD})", re.DOTALL)


@frozen
class Mark:
    """The names of the temporary files of one write."""

    text: str

    @classmethod
    def fresh(cls) -> Mark:
        return cls(secrets.token_hex(4))

    def path(self, directory: Path, file: str, sort: str) -> Path:
        return directory / f".{file}.{self.text}.{sort}"


def file_of(name: str) -> str:
    """The file that a temporary one is for, empty if the name is none of a temporary one."""
    found = _NAME.fullmatch(name)
    return found["file"] if found else ""


def leftovers(directory: Path, files: Container[str]) -> list[Path]:
    """The temporary files of earlier writes that did not end; only those of the named files."""
    found = []
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(directory) as entries:
        for entry in entries:
            if file_of(entry.name) in files and entry.is_file(follow_symlinks=False):
                found.append(directory / entry.name)
    return sorted(found)


def remove(paths: Iterable[Path]) -> None:
    """Removes what it can; a leftover does not change the files that were written."""
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)
