"""The key of every cached result: the inputs that it depends on, and the installation that computed it.

Input: the parts that a result depends on, as plain data. Output: a digest of them, of the Python version and of the
installed program: every file of llmplan with its grammar, and the packages that it computes with. Files are
distinguished by size and modification time. So a result computed with another version of any formula, operation or pass
is never read. The texts of the library and of templates are not part of the program: callers that read them add their
content, or their `stamps`, to the parts.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from attrs import frozen

from llmplan import __version__
from llmplan.resources import folder

_PACKAGES = ("jinja2", "lark", "numpy", "sympy")


@frozen
class Key:
    """A key; only `key` creates one, from everything that it must contain."""

    digest: bytes


def key(*parts: object) -> Key:
    """The key of a result.

    Args:
        parts: Everything that the result depends on besides the program, as texts, numbers and tuples of these.
    """
    whole = repr((sys.implementation.cache_tag, sys.version, program(), parts))
    return Key(hashlib.sha256(whole.encode()).digest())


@cache
def program() -> str:
    """The identity of the installed program; a process continues with the code that it has loaded."""
    package = Path(__file__).resolve().parents[1]
    while not package.exists():
        package = package.parent  # the archive that it is imported from
    stamped = [__version__, *stamps(package)]
    grammar = folder("grammar")
    if isinstance(grammar, Path) and grammar.exists():  # if it is missing, its reader reports that
        stamped += stamps(grammar)
    for name in _PACKAGES:
        spec = find_spec(name)
        stamped += stamps(Path(spec.origin)) if spec and spec.origin and os.path.exists(spec.origin) else [name]
    return "\n".join(stamped)


def stamps(path: Path) -> list[str]:
    """A file, or every file under a folder, with its size and modification time.

    Raises:
        OSError: It cannot be read, for example because it is in an archive.
    """
    return _stamps(str(path)) if path.is_dir() else [_stamp(str(path), path.stat())]


def _stamps(root: str) -> list[str]:
    stamped = []
    with os.scandir(root) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                stamped += _stamps(entry.path) if entry.name != "__pycache__" else []
            else:
                stamped.append(_stamp(entry.path, entry.stat()))
    return stamped


def _stamp(name: str, status: os.stat_result) -> str:
    return f"{name} {status.st_size} {status.st_mtime_ns}"
