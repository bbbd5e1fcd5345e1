"""Files into a folder, all or none.

Each new file is written beside its place and each old one kept there, then all are renamed. After an error the folder
is as before. After a kill each file is the old or the new one, whole, and those beside them say which are new.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from llmplan.emit.leftovers import NEW, OLD, Mark, file_of, remove
from llmplan.emit.solution_json import NAME


class NotRestored(Exception):
    """A write failed, and so did putting back what it had replaced: by file, where its old content is."""

    def __init__(self, cause: str, kept: dict[str, Path]) -> None:
        super().__init__(cause)
        self.kept = kept


def replace(directory: Path, wanted: dict[str, bytes], obsolete: list[str], stale: list[Path]) -> None:
    """Writes some files and removes others.

    Args:
        wanted: By plain name. What begins with `#!` becomes executable.
        obsolete: Names of files to remove.
        stale: Temporary files of a write that was killed, which nobody else is using.

    Raises:
        OSError: All is as before.
        NotRestored: It is not.
    """
    # A `solution.json` among them vouches for files in place until the new one does.
    remove(path for path in stale if file_of(path.name) != NAME)
    mark = Mark.fresh()
    fresh = {file: mark.path(directory, file, NEW) for file in wanted}
    kept = {file: mark.path(directory, file, OLD) for file in [*wanted, *obsolete]}
    done: list[str] = []
    lost: dict[str, Path] = {}
    try:
        for file, content in wanted.items():
            _create(fresh[file], content)
        for file in list(kept):
            if os.path.lexists(directory / file):
                _keep(directory / file, kept[file])
            else:
                del kept[file]
        # `solution.json` comes last, so that it never vouches for files that are not there yet, nor forgets one that
        # is.
        for file in sorted(wanted, key=lambda file: file == NAME):
            if file == NAME:
                _unlink(directory, obsolete, done)
            done.append(file)
            os.replace(fresh[file], directory / file)
        if NAME not in wanted:
            _unlink(directory, obsolete, done)
    except BaseException as error:
        lost = _restore(directory, done, kept, fresh)
        if lost:
            raise NotRestored(getattr(error, "strerror", None) or type(error).__name__, lost) from error
        raise
    finally:
        remove([*fresh.values(), *(path for file, path in kept.items() if file not in lost)])
    remove(stale)


def _unlink(directory: Path, obsolete: list[str], done: list[str]) -> None:
    for file in obsolete:
        done.append(file)
        os.unlink(directory / file)


def _restore(directory: Path, done: list[str], kept: dict[str, Path], fresh: dict[str, Path]) -> dict[str, Path]:
    """Puts back what was there before; returns what could not be."""
    lost = {}
    for file in done:
        untouched = fresh[file] if file in fresh else directory / file
        try:
            if os.path.lexists(untouched):
                continue  # it failed itself
            if file in kept:
                os.replace(kept[file], directory / file)
            else:
                (directory / file).unlink(missing_ok=True)
        except OSError:
            lost[file] = kept.get(file, directory / file)
    return lost


def _create(path: Path, content: bytes) -> None:
    mode = 0o777 if content.startswith(b"#!") else 0o666
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        error.filename = str(path)  # a call that has only a number to go by names none
        raise


def _keep(path: Path, copy: Path) -> None:
    """A second name for the old file, or a copy where the file system has no hard links."""
    try:
        os.link(path, copy, follow_symlinks=False)
    except (OSError, NotImplementedError):
        with suppress(FileNotFoundError):
            copy.unlink()
        shutil.copy2(path, copy, follow_symlinks=False)
