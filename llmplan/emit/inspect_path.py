"""The thing at a path: a file with its content, or a description of something that is not a file.

Links are not followed and pipes are not waited for: each is reported as it is.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from attrs import frozen

from llmplan.emit.solution_json import encode

MOST = 64 * 1024 * 1024
"""The largest file that is read, in bytes: far more than any that llmplan writes."""


@frozen
class Found:
    """What lies at a path.

    Attributes:
        kind: Empty where there is nothing, `file`, or what is said of something else.
        data: Of a file its content, None if it is too large to be one of llmplan's.
    """

    kind: str
    data: bytes | None = None

    @property
    def text(self) -> str | None:
        return None if self.data is None else self.data.decode("utf-8", "backslashreplace")

    def has(self, text: str) -> bool:
        return self.data == encode(text)


FILE = "file"
LINK = "is a symbolic link, which llmplan did not make"
FOLDER = "is a folder"
OTHER = "is not a regular file"


def look(path: Path) -> Found:
    """What lies at a path.

    Raises:
        OSError: The system does not let it be seen.
    """
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return Found("")
    if not stat.S_ISREG(mode):
        return Found(LINK if stat.S_ISLNK(mode) else FOLDER if stat.S_ISDIR(mode) else OTHER)
    never = (getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"))
    with os.fdopen(os.open(path, os.O_RDONLY | sum(never)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it was replaced between the two looks
            return Found(OTHER)
        data = file.read(MOST + 1)
    return Found(FILE, data if len(data) <= MOST else None)
