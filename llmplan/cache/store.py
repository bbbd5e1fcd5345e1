"""Stores results between runs in a private folder: `$XDG_CACHE_HOME/llmplan`.

Results are plain data (numbers, texts, tuples, lists, dicts), written with `marshal` under a `Key` that covers all of
their inputs, and sealed. A file that has another key or owner, lacks this user's seal, or is damaged or missing is not
read and counts as never written; an unusable folder makes llmplan slower, not wrong.
"""

from __future__ import annotations

import marshal
import os
import stat
from pathlib import Path
from typing import Any

from llmplan.cache.key import Key
from llmplan.cache.seal import SIZE, ours, private_folder, seal, secret

_MAGIC = b"llmplan2"
_HEAD = len(_MAGIC) + 32 + SIZE
_STALE = 30 * 24 * 3600  # seconds after which a file with another key is removed


def load(name: str, key: Key) -> object | None:
    """The result stored under this name and key, or None.

    Args:
        name: The kind of result, in letters, digits and `-`: it becomes part of a file name.
        key: The key of everything that the object depends on.
    """
    try:
        folder, own = _folder(), secret()
        if folder is None or own is None:
            return None
        digest = key.digest
        descriptor = os.open(_file(folder, name, digest), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not (stat.S_ISREG(status.st_mode) and ours(status)):
                return None
            data = file.read()
        head, payload = data[:_HEAD], data[_HEAD:]
        if head != _MAGIC + digest + seal(name.encode() + digest + payload, own):
            return None
        loaded: object = marshal.loads(payload)
        return loaded
    except (OSError, ValueError, EOFError, TypeError):
        return None


def keep(name: str, key: Key, obj: Any, most: int = 0) -> None:
    """Stores plain data for later runs, completely or not at all; does nothing if that is impossible.

    Args:
        most: The number of objects with this name to keep, the newest ones; 0 for any number.

    Raises:
        ValueError: The object is not plain data.
    """
    import tempfile  # slow to import, and most runs store nothing

    digest = key.digest
    payload = marshal.dumps(obj)
    try:
        folder, own = _folder(create=True), secret(create=True)
        if folder is None or own is None:
            return
        descriptor, temporary = tempfile.mkstemp(prefix=".new-", dir=folder)
        try:
            with open(descriptor, "wb") as file:
                file.write(_MAGIC + digest + seal(name.encode() + digest + payload, own) + payload)
            os.replace(temporary, _file(folder, name, digest))
        except BaseException:
            os.unlink(temporary)
            raise
        _sweep(folder, name, most)
    except OSError:
        return


def _file(folder: Path, name: str, digest: bytes) -> Path:
    return folder / f"{name}-{digest.hex()[:16]}"


def _folder(create: bool = False) -> Path | None:
    return private_folder("XDG_CACHE_HOME", (".cache",), create)


def _sweep(folder: Path, name: str, most: int) -> None:
    """Removes files that no run has written for a month, and of one name the oldest beyond `most`."""
    import time

    limit = time.time() - _STALE
    with os.scandir(folder) as entries:
        files = sorted((entry.stat(follow_symlinks=False).st_mtime, entry.name) for entry in entries)
    same = [file for _, file in files if file.rpartition("-")[0] == name]
    extra = same[:-most] if most else []
    for written, file in files:
        if written < limit or file in extra:
            os.unlink(folder / file)
