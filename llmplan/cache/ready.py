"""Results that come with an installation: computed when it was built, so that the first run on a machine need not.

Like the user's own results they are plain data, written with `marshal`. Installing changes the times of files, so their
key covers the contents of llmplan's modules and the version of the parser instead. A file with another key, as after a
change in a checkout, is not read; none is sealed, for whoever can write here can change the program itself.
"""

from __future__ import annotations

import hashlib
import marshal
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "ready"

_FORMAT = 2
"""Of `marshal`: the last one in which equal data give equal bytes."""


def load(name: str, *parts: object) -> object | None:
    """The result that was installed under this name for these inputs, or None.

    Args:
        parts: Everything that the result depends on besides the program, as texts, numbers and tuples of these.
    """
    try:
        data = _file(FOLDER, name).read_bytes()
        digest = _digest(parts)
        if data[: len(digest)] != digest:
            return None
        loaded: object = marshal.loads(data[len(digest) :])
        return loaded
    except (OSError, ValueError, EOFError, TypeError):
        return None


def write(folder: Path, name: str, result: Any, *parts: object) -> None:
    """Writes a result for `load`.

    Raises:
        OSError: It cannot be written.
    """
    folder.mkdir(exist_ok=True)
    _file(folder, name).write_bytes(_digest(parts) + marshal.dumps(result, _FORMAT))


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.bin"


def _digest(parts: tuple[object, ...]) -> bytes:
    return hashlib.sha256(repr((_program(), parts)).encode()).digest()


@cache
def _program() -> str:
    """A hash of what computes results: llmplan's modules and the parser."""
    import lark

    package = Path(__file__).parents[1]
    digest = hashlib.sha256(lark.__version__.encode())
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()}\0{len(text)}\0".encode())
        digest.update(text)
    return digest.hexdigest()
