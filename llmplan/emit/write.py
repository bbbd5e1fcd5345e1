"""Files into their folder, all or none; and, for `--check`, what is out of date there.

`solution.json` in the folder says what llmplan wrote there last. A file that is not as it says
belongs to somebody: it is never overwritten unless forced. A symbolic link is such a file too: it
would be replaced, never followed.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from llmplan.diagnostics import Diagnostic, files
from llmplan.emit import changes
from llmplan.emit.lock import Lock, is_current, read_lock
from llmplan.emit.solution_json import NAME, encode
from llmplan.emit.targets import plain_name


def write(directory: Path, contents: dict[str, str], force: bool = False, shown: str = "") -> list[Diagnostic]:
    """Put the files in place. With any error nothing in the folder has changed.

    Args:
        contents: By plain file name, from `render`. One that begins with `#!` becomes executable.
        force: Overwrite files that were edited or that llmplan did not write.
        shown: How messages call the folder; its path if empty.

    Returns:
        E0503 for files in the way, E0505 where the operating system refuses.
    """
    name = shown or str(directory)
    lock = read_lock(directory)
    obsolete = _obsolete(directory, contents, lock)
    try:
        problems = _in_the_way(directory, name, contents, obsolete, lock, force)
        if problems:
            return problems
        wanted = {file: encode(text) for file, text in contents.items() if not _has(directory / file, text)}
        _replace(directory, wanted, obsolete)
    except OSError as error:
        return [files.cannot_write(_named(error, directory, name), error.strerror or str(error))]
    return []


def check(directory: Path, contents: dict[str, str], plan: str, shown: str = "") -> list[Diagnostic]:
    """What `write` would change: E0502 for each stale, missing or obsolete file, E0503 for an edited one.

    A `solution.json` that differs in nothing but the versions is current.
    """
    name = shown or str(directory)
    lock = read_lock(directory)
    causes = changes.causes(lock, contents.get(NAME, ""))
    problems: list[Diagnostic] = []

    def stale(file: str, what: str, difference: str = "") -> None:
        """The causes are the same for all files and are said once."""
        said = any(problem.code == "E0502" for problem in problems)
        problems.append(files.stale(f"{name}/{file}", what, difference, () if said else causes))

    for file, text in contents.items():
        try:
            old = (directory / file).read_bytes().decode("utf-8", "backslashreplace")
        except FileNotFoundError:
            stale(file, "is missing")
            continue
        except OSError as error:
            stale(file, f"cannot be read: {error.strerror}")
            continue
        if old == text or (file == NAME and is_current(old, text)):
            continue
        if lock.wrote(file) and not lock.matches(file, old):
            problems.append(files.not_ours(f"{name}/{file}", "was edited after it was generated", changes.diff(old, text)))
        else:
            # The values say what changed in solution.json better than its lines.
            stale(file, f"is out of date with {plan}", "" if file == NAME and causes else changes.diff(old, text))
    for file in _obsolete(directory, contents, lock):
        stale(file, "is no longer emitted")
    return problems


def _obsolete(directory: Path, contents: dict[str, str], lock: Lock) -> list[str]:
    """Files that an earlier run of the same plan wrote and this one does not."""
    if not lock.of_plan_in(contents.get(NAME, "")):
        return []
    return [
        file
        for file in lock.files
        if file not in contents and plain_name(file) and os.path.lexists(directory / file)
    ]


def _in_the_way(
    directory: Path, name: str, contents: dict[str, str], obsolete: list[str], lock: Lock, force: bool
) -> list[Diagnostic]:
    problems = []
    for file in [*contents, *obsolete]:
        path = directory / file
        if not os.path.lexists(path):
            continue
        if path.is_dir() and not path.is_symlink():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if force:
            continue
        if path.is_symlink():
            problems.append(files.not_ours(f"{name}/{file}", "is a symbolic link, which llmplan did not make", ""))
            continue
        if not path.is_file():
            problems.append(files.not_ours(f"{name}/{file}", "is not a regular file", ""))
            continue
        old = path.read_bytes().decode("utf-8", "backslashreplace")
        if old == contents.get(file) or lock.matches(file, old):
            continue
        what = "was edited after it was generated" if lock.wrote(file) else "was not written by llmplan"
        difference = changes.diff(old, contents[file]) if lock.wrote(file) and file in contents else ""
        problems.append(files.not_ours(f"{name}/{file}", what, difference))
    return problems


def _has(path: Path, text: str) -> bool:
    return path.is_file() and not path.is_symlink() and path.read_bytes() == encode(text)


def _replace(directory: Path, wanted: dict[str, bytes], obsolete: list[str]) -> None:
    """Write beside, keep the old, then rename; on any failure put everything back.

    `solution.json` comes last, so that it never vouches for files that are not there yet.
    """
    mark = f".{secrets.token_hex(4)}"
    made = [path for path in (directory, *directory.parents) if not path.exists()]
    fresh: dict[str, Path] = {}
    kept: dict[str, Path] = {}
    done: list[str] = []
    try:
        for folder in reversed(made):
            folder.mkdir(exist_ok=True)
        for file, content in wanted.items():
            fresh[file] = directory / f".{file}{mark}.new"
            _create(fresh[file], content)
        for file in [*wanted, *obsolete]:
            if os.path.lexists(directory / file):
                kept[file] = directory / f".{file}{mark}.old"
                _keep(directory / file, kept[file])
        for file in sorted(wanted, key=lambda file: file == NAME):
            os.replace(fresh[file], directory / file)
            done.append(file)
        for file in obsolete:
            os.unlink(directory / file)
            done.append(file)
    except BaseException:
        for file in done:
            if file in kept:
                os.replace(kept[file], directory / file)
            else:
                (directory / file).unlink(missing_ok=True)
        raise
    finally:
        # What cannot be tidied up is left: it changes nothing about what was or was not written.
        for path in [*fresh.values(), *kept.values()]:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        for folder in made:
            with suppress(OSError):
                folder.rmdir()  # only where it is empty


def _create(path: Path, content: bytes) -> None:
    mode = 0o777 if content.startswith(b"#!") else 0o666
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _keep(path: Path, copy: Path) -> None:
    """A second name for the old file, or a copy where the file system has no hard links."""
    try:
        os.link(path, copy, follow_symlinks=False)
    except (OSError, NotImplementedError):
        shutil.copy2(path, copy, follow_symlinks=False)


def _named(error: OSError, directory: Path, name: str) -> str:
    """The file of an error as people know it: without the marks of a temporary one."""
    path = Path(error.filename) if isinstance(error.filename, str) and error.filename else directory
    if path.parent == directory and path.suffix in (".new", ".old"):
        path = directory / path.name[1:].rsplit(".", 2)[0]
    return f"{name}/{path.name}" if path.parent == directory else str(path)
