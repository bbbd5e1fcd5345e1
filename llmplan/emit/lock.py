"""What `solution.json` in an output folder says about the files beside it.

It is read as any text that anybody may have edited: what is not as expected counts as not there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from attrs import field, frozen

from llmplan.emit.solution_json import NAME, digest, dump, seal

_VERSIONS = ("llmplan", "library_hash")


@frozen
class Lock:
    """The last run's record.

    Attributes:
        document: The whole file, or empty if there is none.
        files: Hash by file name; `solution.json` with the hash of itself without that entry.
    """

    document: dict[str, Any] = field(factory=dict)
    files: dict[str, str] = field(factory=dict)

    def wrote(self, file: str) -> bool:
        return file in self.files

    def matches(self, file: str, content: str) -> bool:
        """True if the content is what was written."""
        if file != NAME:
            return self.files.get(file) == digest(content)
        recorded = self.files.get(NAME)
        try:
            document = json.loads(content)
            return content == dump(document) + "\n" and seal(document)["lock"]["files"][NAME] == recorded
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return False

    def of_plan_in(self, new: str) -> bool:
        """True if the new `solution.json` is of the same plan."""
        return bool(self.document) and bool(new) and self.document.get("plan") == json.loads(new)["plan"]

    def part(self, *keys: str) -> dict[str, Any]:
        """A table inside the document, empty if it is not there."""
        found: Any = self.document
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}


def read_lock(directory: Path) -> Lock:
    """The record of the last run in a folder; empty if there is none or it is unreadable."""
    try:
        document = json.loads((directory / NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return Lock()
    if not isinstance(document, dict):
        return Lock()
    lock = Lock(document)
    hashes = {str(name): str(value) for name, value in lock.part("lock", "files").items()}
    return Lock(document, hashes)


def is_current(old: str, new: str) -> bool:
    """True if two texts of `solution.json` differ in nothing but the versions that wrote them."""
    try:
        left, right = json.loads(old), json.loads(new)
        for document in (left, right):
            for key in _VERSIONS:
                document.pop(key, None)
            document["lock"]["files"].pop(NAME, None)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
    return bool(left == right)
