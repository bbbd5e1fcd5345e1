"""One process at a time in an output folder, for as long as it is looked through and written.

The lock is on the folder itself, so that it leaves nothing behind, and the system releases it however a process ends.
Without such locks in the system or file system the folder is open to all.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not POSIX
    fcntl = None  # type: ignore[assignment]

PATIENCE = 30.0
"""Seconds to wait for another process: thousands of times what one needs."""

_PAUSE = 0.01
_TRIES = 100
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF)


@contextmanager
def held(directory: Path) -> Iterator[bool]:
    """The folder for this process alone; it is made if it is missing, and removed again if it stays empty.

    Yields:
        False if others cannot be kept out here.

    Raises:
        OSError: It cannot be made or opened, or others have kept it for too long.
    """
    descriptor: int | None = None
    alone = False
    made: list[Path] = []
    try:
        for again in reversed(range(_TRIES)):
            # Whoever made the folder and failed may remove it while this process waits.
            try:
                _make(directory, made)
                descriptor = _open(directory)
                alone = _lock(descriptor, directory, exclusive=True)
                if descriptor is None or os.path.samestat(os.fstat(descriptor), os.stat(directory)):
                    break
            except FileNotFoundError:
                if not again:
                    raise
            _close(descriptor)
            descriptor = None
        yield alone
    finally:
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()  # only where it is empty
        _close(descriptor)


@contextmanager
def shared(directory: Path) -> Iterator[None]:
    """The folder while nobody writes into it, if it exists; others may read it too."""
    descriptor: int | None = None
    try:
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            descriptor = _open(directory)
        _lock(descriptor, directory, exclusive=False)
        yield
    finally:
        _close(descriptor)


def _make(directory: Path, made: list[Path]) -> None:
    """Makes a folder and those above it; `made` gets those that were missing, the outermost first."""
    missing = [path for path in (directory, *directory.parents) if not os.path.lexists(path)]
    for path in reversed(missing):
        with suppress(FileExistsError):  # another process was faster
            path.mkdir()
            if path not in made:
                made.append(path)


def _open(directory: Path) -> int | None:
    if fcntl is None:
        if not directory.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(directory))
        return None
    return os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK)


def _close(descriptor: int | None) -> None:
    if descriptor is not None:
        os.close(descriptor)


def _lock(descriptor: int | None, directory: Path, exclusive: bool) -> bool:
    if descriptor is None:
        return False
    until = time.monotonic() + PATIENCE
    sort = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
    while True:
        try:
            fcntl.flock(descriptor, sort | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > until:
                busy = f"another process has kept it for {PATIENCE:.0f} seconds"
                raise OSError(errno.EAGAIN, busy, str(directory)) from None
            time.sleep(_PAUSE)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return False
            raise
