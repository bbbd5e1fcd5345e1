"""Mistakes in a configuration file that `model from` reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from llmplan.diagnostics.names import closest
from llmplan.diagnostics.record import Diagnostic, Hint, Label
from llmplan.source import Span


def no_json(span: Span, name: str, why: str) -> Diagnostic:
    """E0209: the file is no JSON object; `why` in a few words."""
    why = why[:1].lower() + why[1:]
    return Diagnostic("E0209", "error", f"`{name}` cannot be read as a configuration: {why}", span)


def no_kind(span: Span, kind: str) -> Diagnostic:
    return Diagnostic(
        "E0209",
        "error",
        f"no table says what a configuration means for `{kind}`",
        span,
        hints=(Hint('a model is read with `model from "config.json"`'),),
    )


def unknown_type(
    span: Span,
    place: Span,
    name: str,
    type: str | None,
    known: Iterable[str],
    fields: Mapping[str, str | None],
) -> Diagnostic:
    """E0209: a `model_type` that no table has.

    Args:
        place: Where the file says its type.
        type: None where it says none.
        fields: What a model needs, and its value by the usual keys, None if they are missing.
    """
    known = list(known)
    others = (Label(place, "said here"),) if type is not None else ()
    message = (
        f"`{type}` is no `model_type` that is known" if type is not None else f"`{name}` says no `model_type`"
    )
    missing = [f"`{field}`" for field, value in fields.items() if value is None]
    notes = [f"nothing in it is known to mean {', '.join(missing)}"] if missing else []
    near = closest(type, known) if type is not None else []
    notes.append(
        f"the nearest is `{near[0]}`"
        if near
        else f"known are {', '.join(sorted(known, key=str.lower)[:12])} …"
    )
    written = ", ".join(f"{field} = {value or '…'}" for field, value in fields.items())
    hint = Hint(f"give the hyper-parameters themselves: `model {{ {written} }}`")
    return Diagnostic("E0209", "error", message, span, others=others, notes=tuple(notes), hints=(hint,))


def lacks_keys(span: Span, name: str, type: str, keys: list[str]) -> Diagnostic:
    """E0209: keys without which a model of that type is not described."""
    listed = ", ".join(f"`{key}`" for key in keys)
    return Diagnostic("E0209", "error", f"`{name}` lacks {listed}, which a `{type}` needs", span)
