"""The options of the public functions, and a request from them: a wrong one is a ValueError that names it.

Input: the arguments of the caller. Output: a `Request` with the plan's text. The plan itself is not checked: a
setting of an unknown input is a diagnostic, one that is not a text or a number is a wrong option.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypedDict, TypeVar

from attrs import fields_dict

from llmplan.diagnostics.spelling import closest
from llmplan.load.files import STATEMENTS, Unreadable
from llmplan.request import MOST_EFFORT, Request, request, written
from llmplan.units.amount import count

Path = str | os.PathLike[str]
Settings = Mapping[str, object] | Iterable[tuple[str, object]]
Given = ParamSpec("Given")
Result = TypeVar("Result")


class CheckOptions(TypedDict, total=False):
    """Options of every function.

    Attributes:
        text: The plan's text; beside `plan`, it replaces the text of that file.
        settings: Values by path that win over the plan, as `--set` takes them: `{"hardware.gpus": 64}`, or pairs.
        statements: Further statements that win over the plan, as `-e` takes them; alone, they are the plan.
        scenario: The scenario of the plan to apply.
        root: The folder that used files must lie in; else the project's.
        templates: A folder of templates that are laid over those of llmplan.
        no_waive: Whether each waived or replaced requirement is an error.
    """

    text: str | None
    settings: Settings
    statements: Sequence[str]
    scenario: str | None
    root: Path | None
    templates: Path | None
    no_waive: bool


class SweepOptions(CheckOptions, total=False):
    """The options of `check`, and `limit`: the largest number of combinations of unknowns to search."""

    limit: int


class SolveOptions(SweepOptions, total=False):
    """The options of `sweep`, and `effort`: how many times the usual work may go into advice on an infeasible plan."""

    effort: float


def takes(shared: type) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Refuses any option that is neither among these nor the function's own, and shows all of them in its signature."""

    def decorate(function: Callable[Given, Result]) -> Callable[Given, Result]:
        own, defaults = signature(function), fields_dict(Request)
        *before, _ = own.parameters.values()
        after = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name].default, annotation=annotation)
            for name, annotation in shared.__annotations__.items()
        ]
        shown = own.replace(parameters=[*before, *after])

        @wraps(function)
        def checked(*given: Given.args, **options: Given.kwargs) -> Result:
            for name in (name for name in options if name not in shown.parameters):
                near = [f"did you mean `{known}`?" for known in closest(name, shown.parameters)]
                hint = near[0] if near else f"it takes {', '.join(shown.parameters)}"
                raise ValueError(f"{name}: `{function.__name__}` has no such option; {hint}")
            return function(*given, **options)

        checked.__signature__ = shown  # type: ignore[attr-defined]
        return checked

    return decorate


def question(plan: Path | None, options: Mapping[str, Any]) -> Request:
    """The request.

    Raises:
        ValueError: if an option has a value that it cannot have, or a path cannot be read; the text names it.
    """
    given = {name: read(name, value) for name, value in options.items()}
    name = read("plan", plan)
    if name is None and given.get("text") is None:
        if not given.get("statements"):
            raise ValueError("plan: name a file, or give the plan as `text` or `statements`")
        name = STATEMENTS
        given |= {"text": "\n".join(given["statements"]), "statements": ()}
    try:
        return request("-" if name is None else name, **given)
    except Unreadable as why:
        raise ValueError(f"plan: cannot read {name!r}: {why}") from None


def read(option: str, value: Any) -> Any:
    """The value of an option as the compiler takes it.

    Raises:
        ValueError: if it is none that the option can have.
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    match option:
        case "text" | "scenario" | "name" | "against":
            _expect(option, value, value is None or isinstance(value, str), "a text" if option == "text" else "a name")
        case "no_waive" | "check" | "force" | "uses":
            _expect(option, value, isinstance(value, bool), "True or False")
        case "limit" | "depth":
            least = 1 if option == "limit" else 0
            whole = number and isinstance(value, int) and value >= least
            _expect(option, value, whole, f"a whole number from {least} on")
        case "effort":
            most = f"a number above 0, at most {count(MOST_EFFORT)}"
            _expect(option, value, number and 0.0 < value <= MOST_EFFORT, most)
        case "statements" | "fail_if":
            texts = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (None,)
            _expect(option, value, all(isinstance(text, str) for text in texts), "a sequence of texts")
            return texts
        case "settings":
            return _pairs(value)
        case _:
            name = os.fspath(value) if isinstance(value, os.PathLike) else value
            _expect(option, value, name is None or isinstance(name, str) and bool(name), "a path")
            if option in ("root", "templates") and name is not None and not os.path.isdir(name):
                raise ValueError(f"{option}: {name!r} is not a folder")
            return name
    return value


def _pairs(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Each setting as a path and a text, as `--set` has them."""
    shape = "a mapping of paths to values, or pairs of a path and a value"
    _expect("settings", settings, isinstance(settings, Iterable) and not isinstance(settings, str), shape)
    texts = []
    for pair in settings.items() if isinstance(settings, Mapping) else settings:
        _expect("settings", pair, isinstance(pair, (tuple, list)) and len(pair) == 2, shape)
        path, value = pair
        _expect("settings", path, isinstance(path, str) and bool(path.strip()), "paths that are texts")
        setting = written(value)
        _expect(f"settings[{path!r}]", value, setting is not None, "a text or a number")
        texts.append((path.strip(), str(setting)))
    return tuple(texts)


def _expect(option: str, value: object, holds: bool, wanted: str) -> None:
    if not holds:
        shown = repr(value)
        raise ValueError(f"{option}: expected {wanted}, not {shown if len(shown) <= 60 else type(value).__name__}")
