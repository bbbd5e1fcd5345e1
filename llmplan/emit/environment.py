"""The sandbox in which templates are compiled and run: the functions they may call, and the source of their texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from llmplan.emit.filters import FILTERS
from llmplan.emit.targets import path_of, source, texts
from llmplan.present.markdown import within

if TYPE_CHECKING:
    from jinja2 import Environment

FURTHER = {"within": within}
"""The functions that every template may call beside those of its `View`."""


_loaded: set[str] = set()
"""The paths of the templates that were loaded, as they stand in tracebacks."""


def is_template(file: str) -> bool:
    """Whether a file of a traceback is a template."""
    return file in _loaded


@lru_cache(maxsize=4)
def environment_of(templates: Path | None) -> Environment:
    """Compiles a template once in a process, and again when its text has changed."""
    from jinja2 import FunctionLoader, StrictUndefined, TemplateNotFound

    from llmplan.emit.sandbox import Sandbox

    def find(place: str) -> tuple[str, str, Callable[[], bool]]:
        try:
            text = source(place, templates)
            _loaded.add(name := path_of(place, templates))
            return text, name, lambda: _is(place, templates, text)
        except (OSError, UnicodeError) as error:
            why = (error.strerror if isinstance(error, OSError) else "") or str(error)
            raise TemplateNotFound(place, f"{path_of(place, templates)}: {why}") from error

    environment = Sandbox(
        loader=FunctionLoader(find),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.do"],
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        optimized=False,  # takes longer than what it saves in one run
    )
    environment.filters.update(FILTERS)
    environment.globals.update(FURTHER)
    del environment.globals["lipsum"]  # random, and as long as one likes
    environment.tests["match_start"] = lambda text, start: str(text).startswith(start)
    return environment


def compile_ahead(emitted: Sequence[str], templates: Path | None) -> None:
    """Compiles what will be read where some targets are emitted, so that it need not be done later."""
    from jinja2 import TemplateError

    environment = environment_of(templates)
    for name in texts(emitted, templates):
        # Whoever fills the template meets what is wrong with it again, and says so.
        with suppress(TemplateError, RecursionError, SyntaxError, MemoryError):
            environment.get_template(name)


def _is(place: str, templates: Path | None, text: str) -> bool:
    try:
        return source(place, templates) == text
    except (OSError, UnicodeError):
        return False
