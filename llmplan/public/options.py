"""The options of the public functions as a request: each is checked, and a wrong one is a ValueError that names it.

Input: the arguments of the caller. Output: a `Request` with the plan's text. The plan itself is not checked: a
setting of an unknown input is a diagnostic, one that is not a text or a number is a wrong option.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from llmplan.load.files import STATEMENTS, Unreadable
from llmplan.request import DEFAULT_LIMIT, Request, request

Path = str | os.PathLike[str]
Settings = Mapping[str, object] | Iterable[tuple[str, object]]

_MOST_EFFORT = 1000.0


def question(
    plan: Path | None,
    text: str | None,
    settings: Settings,
    statements: Sequence[str],
    scenario: str | None,
    root: Path | None,
    templates: Path | None,
    no_waive: bool,
    limit: int = DEFAULT_LIMIT,
    effort: float = 1.0,
) -> Request:
    """The request.

    Raises:
        ValueError: if an option has a value that it cannot have, or a path cannot be read; the text names it.
    """
    _expect("text", text, text is None or isinstance(text, str), "a text")
    _expect("scenario", scenario, scenario is None or isinstance(scenario, str), "a name")
    _expect("no_waive", no_waive, isinstance(no_waive, bool), "True or False")
    whole = isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1
    _expect("limit", limit, whole, "a whole number from 1 on")
    real = isinstance(effort, (int, float)) and not isinstance(effort, bool) and 0.0 < effort <= _MOST_EFFORT
    _expect("effort", effort, real, f"a number above 0, at most {_MOST_EFFORT:g}")
    _expect("statements", statements, not isinstance(statements, str), "a sequence of texts")
    further = tuple(statements)
    _expect("statements", statements, all(isinstance(one, str) for one in further), "a sequence of texts")
    name = path("plan", plan)
    if name is None and text is None:
        if not further:
            raise ValueError("plan: name a file, or give the plan as `text` or `statements`")
        name, text, further = STATEMENTS, "\n".join(further), ()
    try:
        return request(
            Request(
                "-" if name is None else name,
                text,
                further,
                folder("root", root),
                pairs(settings),
                scenario,
                no_waive,
                limit,
                effort,
                folder("templates", templates),
            )
        )
    except Unreadable as why:
        raise ValueError(f"plan: cannot read {name!r}: {why}") from None


def path(option: str, value: Any) -> str | None:
    """The path that an option names; None where it names none."""
    _expect(option, value, value is None or isinstance(value, (str, os.PathLike)), "a path")
    name = None if value is None else os.fspath(value)
    _expect(option, value, name is None or isinstance(name, str) and bool(name), "a path")
    return name


def folder(option: str, value: Any) -> str | None:
    """The folder that an option names."""
    name = path(option, value)
    if name is not None and not os.path.isdir(name):
        raise ValueError(f"{option}: {name!r} is not a folder")
    return name


def pairs(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Each setting as a path and a text, as `--set` has them."""
    shape = "a mapping of paths to values, or pairs of a path and a value"
    _expect("settings", settings, isinstance(settings, Iterable) and not isinstance(settings, str), shape)
    texts = []
    for pair in settings.items() if isinstance(settings, Mapping) else settings:
        _expect("settings", pair, isinstance(pair, (tuple, list)) and len(pair) == 2, shape)
        name, value = pair
        _expect("settings", name, isinstance(name, str) and bool(name.strip()), "paths that are texts")
        texts.append((name.strip(), _value(f"settings[{name!r}]", value)))
    return tuple(texts)


def _value(option: str, value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    _expect(option, value, isinstance(value, Real) and math.isfinite(value), "a text or a number")
    return repr(float(value))  # type: ignore[arg-type]


def _expect(option: str, value: object, holds: bool, wanted: str) -> None:
    if not holds:
        shown = repr(value)
        raise ValueError(f"{option}: expected {wanted}, not {shown if len(shown) <= 60 else type(value).__name__}")
