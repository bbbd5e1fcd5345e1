"""The seal of a cached result: it shows that this user wrote it, and that it has not changed since.

Input: the bytes to store. Output: a hash of them, keyed by a secret of 32 bytes in `$XDG_STATE_HOME/llmplan`, which is
created when it is first needed. The secret is not in the cache: in a cache that somebody else has filled, such as one
restored from a stranger's branch, the seals do not match, and that cache counts as empty.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

SIZE = 32
_NAME = "cache.key"


def seal(data: bytes, secret: bytes) -> bytes:
    """The seal of some data, `SIZE` bytes."""
    return hashlib.blake2b(data, digest_size=SIZE, key=secret, person=b"llmplan cache").digest()


def secret(create: bool = False) -> bytes | None:
    """The user's secret; None if there is none, or if others could know or replace it.

    Raises:
        OSError: The folder cannot be read or written.
    """
    folder = private_folder("XDG_STATE_HOME", (".local", "state"), create)
    if folder is None:
        return None
    found = _read(folder / _NAME)
    if found is not None or not create:
        return found
    _make(folder)
    return _read(folder / _NAME)


def _read(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or not ours(found) or (os.name == "posix" and found.st_mode & 0o077):
            return None
        read = file.read(SIZE + 1)
        return read if len(read) == SIZE else None


def _make(folder: Path) -> None:
    """Creates the secret unless another process has just done so; a damaged one is replaced."""
    fresh = folder / f".{_NAME}-{os.urandom(8).hex()}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(os.urandom(SIZE))
        path = folder / _NAME
        try:
            os.link(fresh, path)  # never over a secret that another process has created meanwhile and used
        except FileExistsError:
            if _read(path) is None:
                os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def private_folder(variable: str, usual: tuple[str, ...], create: bool) -> Path | None:
    """The folder `llmplan` in one of the user's folders, if nobody else can write to it.

    Args:
        variable: The environment variable with the parent folder, used if it is an absolute path.
        usual: The parent folder in the user's home otherwise.

    Raises:
        OSError: It is missing, and must not or cannot be created.
    """
    base = os.environ.get(variable, "")
    try:
        parent = Path(base) if os.path.isabs(base) else Path.home().joinpath(*usual)
    except RuntimeError:  # no home
        return None
    folder = parent / "llmplan"
    if create:
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    found = os.lstat(folder)
    return folder if stat.S_ISDIR(found.st_mode) and ours(found) and not found.st_mode & 0o022 else None


def ours(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user."""
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
