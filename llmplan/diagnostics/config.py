"""Mistakes in a configuration file that `model from` reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from llmplan.diagnostics.record import Diagnostic, Hint, Label, error
from llmplan.diagnostics.spelling import closest
from llmplan.source import Span


def no_json(span: Span, name: str, why: str) -> Diagnostic:
    """E0209: the file is not a JSON object; `why` in a few words."""
    return error("E0209", f"cannot read `{name}` as a configuration: {why[:1].lower() + why[1:]}", span)


def no_kind(span: Span, kind: str) -> Diagnostic:
    hint = 'read a model with `model from "config.json"`'
    return error("E0209", f"no configuration table for `{kind}`", span, hint)


def unknown_type(
    span: Span,
    place: Span | None,
    name: str,
    type: str | None,
    known: Iterable[str],
    fields: Mapping[str, str | None],
) -> Diagnostic:
    """E0209: a `model_type` that no table has.

    Args:
        place: Where the file gives its type, None if that is not to be shown.
        type: None where it gives none.
        fields: What a model needs, and its value by the usual keys, None if they are missing.
    """
    known = list(known)
    message = f"unsupported `model_type` `{type}`" if type is not None else f"`{name}` has no `model_type`"
    missing = [f"`{field}`" for field, value in fields.items() if value is None]
    notes = [f"no key in it is recognised as {', '.join(missing)}"] if missing else []
    near = closest(type, known) if type is not None else []
    listed = f"supported types are {', '.join(sorted(known, key=str.lower)[:12])} …"
    notes.append(f"the nearest supported type is `{near[0]}`" if near else listed)
    written = ", ".join(f"{field} = {value or '…'}" for field, value in fields.items())
    return error(
        "E0209",
        message,
        span,
        Hint(f"give the hyperparameters directly: `model {{ {written} }}`"),
        others=(Label(place, "given here"),) if place is not None else (),
        notes=notes,
    )


def lacks_keys(span: Span, name: str, type: str, keys: list[str]) -> Diagnostic:
    """E0209: keys without which a model of that type is not described."""
    listed = ", ".join(f"`{key}`" for key in keys)
    return error("E0209", f"`{name}` lacks {listed}, required for `model_type` `{type}`", span)


def differs(span: Span, place: Span, name: str, key: str, type: str) -> Diagnostic:
    """E0209: a list of different numbers under a key that the table reads as one for all layers."""
    message = f"`{name}` gives `{key}` as a list of different values; for `model_type` `{type}` one for all layers is read"
    hint = f"write `{key}` as one number, or give the hyperparameters directly"
    return error("E0209", message, span, hint, others=(Label(place, "given here"),))
