"""Templates compiled while the plan is read and solved, by a fork of this process that sends back the code.

Compiling them takes as long as solving a common plan, and does not depend on the answer. The code comes from the fork
alone and never through a file that has a name, so that caches are never trusted with code. Without a fork templates are
compiled when they are needed, with the same output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from llmplan.background import Fork
from llmplan.emit.targets import targets, texts

if TYPE_CHECKING:
    from llmplan.emit.compiled import Codes

_open = False
_begun: Fork | None = None


@contextmanager
def compiling() -> Iterator[None]:
    """While this is open, `begin` begins, and what it compiled is there for `render`."""
    global _open, _begun
    _open = True
    try:
        yield
    finally:
        begun, _open, _begun = _begun, False, None
        if begun is not None:
            begun.end()


def begin(plan: str, templates: Path | None) -> None:
    """Begins to compile what a plan with this text needs, if a caller wants it.

    Which targets it emits is known only once it is read; those that it names will do, as others are compiled when they
    are needed.
    """
    global _begun
    if _open and _begun is None:
        _begun = Fork(lambda: _compiled(plan, templates))


def finished() -> Codes:
    """The compiled templates, once they are done; empty if none were begun."""
    codes: Codes | None = _begun.result() if _begun is not None else None
    return codes or {}


def _compiled(plan: str, templates: Path | None) -> Codes:
    from jinja2 import TemplateError

    from llmplan.emit.environment import new_environment

    codes: Codes = {}
    environment = new_environment(templates, codes)
    words = set(re.findall(r"\w+", plan))
    for name in texts([name for name in targets(templates) if name in words], templates):
        # The parent meets what is wrong with it too, and says so.
        with suppress(TemplateError, RecursionError, SyntaxError, MemoryError):
            environment.get_template(name)
    return codes
