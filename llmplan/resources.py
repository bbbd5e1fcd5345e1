"""The three texts of the product: `grammar/`, `plans/` and `templates/`, wherever they are installed."""

from __future__ import annotations

import os
import sys
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from llmplan.installation import unreadable

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from importlib.resources.abc import Traversable as Traversable  # noqa: PLC0414, others have it from here
    else:
        from importlib.abc import Traversable as Traversable  # noqa: PLC0414


CONFIGS = "configs"
"""The folder of `plans/` with the tables by which model configurations are read."""

LIBRARY = ("std", "catalog", CONFIGS)
"""The folders of `plans/` that make up the library."""

TARGET = "target.plan"
"""The file of a target's folder in the plan language, part of the library: its options and requirements."""

FORMAT, LOG = "read.plan", "log.plan"
"""Files of a folder of `templates/`: what the keys of configurations mean, and what the lines of logs."""

MANIFEST = "target.json"
"""The file that makes a folder of templates a target."""


def library_of(path: str) -> Path | None:
    """The `plans` folder of the library that contains a file, llmplan's own or a copy; None for other plans."""
    file = Path(path).resolve()
    part = file.parent
    if file.name == TARGET and part.parent.name == "templates":
        part = part.parent.parent / "plans" / LIBRARY[0]
    in_one = part.name in LIBRARY and all(os.path.isdir(part.parent / name) for name in LIBRARY)
    return part.parent.parent if in_one else None


def templates_of(path: str) -> Path | None:
    """The folder of a user's templates that a target's `target.plan` lies in; None for another file."""
    file = Path(path).resolve()
    return file.parent.parent if file.name == TARGET and (file.parent / MANIFEST).is_file() else None


def is_format(path: str) -> bool:
    """Whether a path is that of a file that says how other software's files are read: `templates/NAME/read.plan`, or of
    logs `log.plan`."""
    file = Path(path)
    return file.name in (FORMAT, LOG) and file.resolve().parent.parent.name == "templates"


def targets_in(templates: Path | None) -> list[str]:
    """The folders of a user's templates that are targets."""
    if templates is None or not templates.is_dir():
        return []
    return sorted(entry.name for entry in templates.iterdir() if (entry / MANIFEST).is_file())


@cache
def folder(name: str) -> Traversable:
    """A resource folder: inside the package once installed, beside it in a checkout or an editable install."""
    package = Path(__file__).resolve().parent
    for parent in (package, package.parent):
        if (parent / name).is_dir():
            return parent / name
    from importlib.resources import files  # only a zip archive needs it, and it loads much

    return files("llmplan").joinpath(name)


def text_of(file: Traversable, name: str) -> str:
    """The text of an installed file, which people know by a name; read again when it changed in size or time of change.

    Raises:
        Broken: It cannot be read.
    """
    try:
        return read(file)
    except (OSError, UnicodeError) as error:
        raise unreadable(name, error) from error


def read(file: Traversable) -> str:
    """The same for a file that is not part of llmplan.

    Raises:
        OSError, UnicodeError: It cannot be read.
    """
    if not isinstance(file, Path):
        return file.read_text(encoding="utf-8")
    found = file.stat()
    return _read(file, found.st_size, found.st_mtime_ns)


def entries(place: Traversable, name: str) -> list[Traversable]:
    """The contents of an installed folder, by name.

    Raises:
        Broken: It cannot be read.
    """
    try:
        return sorted(place.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        raise unreadable(name, error) from error


@lru_cache(maxsize=256)
def _read(file: Path, size: int, changed: int) -> str:
    return file.read_text(encoding="utf-8")
