"""The record that `solution.json` in an output folder keeps of the files beside it.

Anybody may have edited it: whatever is not as expected counts as absent. If a write was killed between two files, the
`solution.json` that it was about to put in place lists the new ones.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from llmplan.emit.inspect_path import look
from llmplan.emit.leftovers import NEW, leftovers
from llmplan.emit.solution_json import NAME, digest, sealed
from llmplan.emit.targets import plain_name

# What no run of llmplan comes near, so that a record made by hand costs neither minutes nor memory.
_LARGEST = 16 * 1024 * 1024  # characters
_MOST_PARTS = 1_000_000
_DEEPEST = 20
_MOST_BEGUN = 50
_VERSIONS = ("llmplan", "library_hash")


@frozen
class Lock:
    """The last run's record.

    Attributes:
        document: The whole file, or empty if there is none.
        files: The hashes that a file may have, by its name: one, or two after a write that did not end.
        intact: False if the record itself was edited.
    """

    document: dict[str, Any] = field(factory=dict)
    files: dict[str, frozenset[str]] = field(factory=dict)
    intact: bool = False

    @property
    def plan(self) -> str:
        """The plan that the folder belongs to, empty if it is nobody's."""
        plan = self.document.get("plan")
        return plan if isinstance(plan, str) and self.files else ""

    def wrote(self, file: str) -> bool:
        return file in self.files

    def matches(self, file: str, content: str) -> bool:
        """True if the content is what was written."""
        return _is_intact(content) if file == NAME else digest(content) in self.files.get(file, ())

    def part(self, *keys: str) -> dict[str, Any]:
        """A table inside the document, empty if it is not there."""
        found: Any = self.document
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}


def read_lock(directory: Path) -> Lock:
    """The record of the last run in a folder; empty if there is none or it is not as expected.

    Raises:
        OSError: The system does not let it be read.
    """
    lock = _read(directory / NAME)
    for path in leftovers(directory, (NAME,))[:_MOST_BEGUN]:
        begun = _read(path) if path.suffix == f".{NEW}" else Lock()
        if not begun.intact:
            continue
        if not lock.document:
            # The first write into the folder, if it came as far as a file.
            lock = begun if any(_is_in_place(directory, file, begun) for file in begun.files) else lock
        elif begun.plan == lock.plan:
            names = dict.fromkeys([*lock.files, *begun.files])
            none: frozenset[str] = frozenset()
            both = {name: lock.files.get(name, none) | begun.files.get(name, none) for name in names}
            lock = evolve(lock, files=both)
    return lock


def _read(path: Path) -> Lock:
    content = look(path).text or ""
    try:
        document = _parsed(content)
    except (ValueError, RecursionError):
        return Lock()
    if not isinstance(document, dict):
        return Lock()
    hashes = Lock(document).part("lock", "files")
    return Lock(document, {str(name): frozenset({str(one)}) for name, one in hashes.items()}, _is_intact(content))


def _is_in_place(directory: Path, file: str, lock: Lock) -> bool:
    if not plain_name(file):
        return False
    content = look(directory / file).text
    return content is not None and lock.matches(file, content)


@lru_cache(maxsize=4)  # it is asked of the same text several times
def _is_intact(content: str) -> bool:
    """True if a `solution.json` is as it was written: it has its own hash."""
    try:
        document = _parsed(content)
        if _nests_deeper(document, _DEEPEST):
            return False  # writing it out again takes the longer the deeper it nests
        return content == sealed(document)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False


def _parsed(content: str) -> Any:
    if len(content) > _LARGEST or content.count("{") + content.count("[") > _MOST_PARTS:
        raise ValueError
    return json.loads(content)


def _nests_deeper(value: Any, depth: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return depth == 0 or any(_nests_deeper(item, depth - 1) for item in inner)


def is_current(old: str, new: str) -> bool:
    """True if two texts of `solution.json` differ in nothing but the versions that wrote them."""
    try:
        left, right = _parsed(old), _parsed(new)
        for document in (left, right):
            for key in _VERSIONS:
                document.pop(key, None)
            document["lock"]["files"].pop(NAME, None)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
    return bool(left == right)
