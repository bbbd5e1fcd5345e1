"""Files as text, and paths as people know them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from llmplan.source import MAX_BYTES

PLAN = ".plan"
STATEMENTS = "-e"
"""The name of the text of statements that are given beside a plan, or in place of one."""
IMPORTED = "(import)"
"""The name, in messages, of the plan that configurations of other software make."""

READ = MAX_BYTES + 8  # enough to see one byte too many, even after a byte-order mark


class Unreadable(Exception):
    """A file that cannot be read as a plan; the text says why in a few words."""


def read(path: Path) -> str:
    """The text of a file; of one that is too large the beginning, which is still too large for the parser.

    Raises:
        Unreadable: if it is missing, not a regular file or not UTF-8.
    """
    try:
        if path.is_dir():
            raise Unreadable("it is a directory")
        if path.exists() and not path.is_file():
            raise Unreadable("it is not a regular file")
        with path.open("rb") as stream:
            data = stream.read(READ)
    except FileNotFoundError:
        raise Unreadable("no such file") from None
    except PermissionError:
        raise Unreadable("permission denied") from None
    except (OSError, ValueError) as error:
        raise Unreadable(getattr(error, "strerror", None) or "it is unreadable") from None
    return decode(data)


def decode(data: bytes) -> str:
    """The text in the first `READ` bytes of a file.

    Raises:
        Unreadable: if they are not UTF-8.
    """
    if len(data) > MAX_BYTES:
        return data.decode("utf-8-sig", "replace")  # the last character may be cut
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise Unreadable(f"it is not UTF-8 (line {line})") from None


def read_plan(path: Path) -> str:
    """The text of a plan that the command line names.

    Raises:
        Unreadable: as `read`; and if it is called a plan but is a link to something else, whose text nobody asked
            to see.
    """
    if path.suffix == PLAN and not is_plan(path):
        raise Unreadable("it is a link to a file whose name does not end in `.plan`")
    return read(path)


def is_plan(path: Path) -> bool:
    """Whether the file that a path leads to, through links too, is called a plan."""
    try:
        return path.resolve().suffix == PLAN
    except (OSError, ValueError, RuntimeError):  # a cycle of links, an invalid name
        return False


def project_root(plan: Path) -> Path:
    """The nearest parent with `.git` or `pyproject.toml`, else the plan's own folder.

    What marks a project in `/` marks the whole machine, and does not count.
    """
    folder = plan.resolve().parent
    for parent in (folder, *folder.parents):
        whole = parent == parent.parent
        if not whole and (os.path.exists(parent / ".git") or os.path.exists(parent / "pyproject.toml")):
            return parent
    return folder


def wider_root(plan: Path, used: Iterable[Path]) -> Path | None:
    """The root with which a plan can use files that somebody has named; None if its project holds them. Where only the
    whole machine would hold both, that of the files alone, or None if that is the whole machine too.
    """
    root = project_root(plan)
    paths = [path.resolve() for path in used]
    if all(inside(path, root) for path in paths):
        return None
    folders = [path.parent for path in paths]
    for held in ([root, *folders], folders):
        try:
            common = Path(os.path.commonpath(held))
        except ValueError:  # another drive
            continue
        if common != common.parent:
            return common
    return None


def inside(path: Path, root: Path) -> bool:
    """Whether a resolved path belongs to a project root: of `/` only what lies directly in it does."""
    return path.is_relative_to(root) and (root != root.parent or path.parent == root)


def outside(root: Path) -> str:
    """Why something is refused that is not inside a root."""
    if root == root.parent:
        return f"it is outside the project: of `{root.as_posix()}` only the files directly in it count as inside"
    return f"it is outside the project root `{shown(root)}`"


def way_out(path: Path, root: Path) -> str:
    """How a resolved path outside a root can be used after all: by an option, or if only the whole machine holds both,
    by a copy."""
    try:
        common = Path(os.path.commonpath([path.parent, root]))
    except ValueError:  # another drive
        common = root.parents[-1] if root.parents else root
    if common == common.parent:
        return "copy the file into the project"
    return f"if that file is yours, `--root {shlex.quote(shown(common))}` makes it part of the project"


def shown(path: Path) -> str:
    """A path as people read it: relative to the working folder where it lies below it, with `/`."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError, RuntimeError):
        return Path(os.path.relpath(path)).as_posix()
