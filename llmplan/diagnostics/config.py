"""Mistakes in a configuration file that `model from` reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from llmplan.diagnostics.record import Diagnostic, Hint, Label, error, warning
from llmplan.diagnostics.spelling import closest
from llmplan.source import Span


def no_json(
    span: Span, name: str, why: str, place: Span | None = None, hint: str = "", shown: bool = False
) -> Diagnostic:
    """E0209: the file is not a JSON object; `why` in a few words.

    Args:
        place: Where it stops being one.
        shown: Whether that line may be shown, or only named.
    """
    where = f"line {place.line}, column {place.column}: " if place is not None else ""
    message = f"cannot read `{name}` as a configuration: {where}{why[:1].lower() + why[1:]}"
    return error("E0209", message, span, hint, others=[Label(place, "here")] if place is not None and shown else ())


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
    left: Sequence[str] = (),
) -> Diagnostic:
    """E0209: a `model_type` that no table has.

    Args:
        place: Where the file gives its type, None if that is not to be shown.
        type: None where it gives none.
        fields: What a model needs, and its value by the usual keys, None if they are missing.
        left: Keys about the structure of which no field is made.
    """
    known = list(known)
    message = f"unsupported `model_type` `{type}`" if type is not None else f"`{name}` has no `model_type`"
    missing = [f"`{field}`" for field, value in fields.items() if value is None]
    notes = [f"no key in it is recognised as {', '.join(missing)}"] if missing else []
    near = closest(type, known) if type is not None else []
    listed = f"supported types are {', '.join(sorted(known, key=str.lower)[:12])} …"
    notes.append(f"the nearest supported type is `{near[0]}`" if near else listed)
    if left:
        keys = ", ".join(f"`{key}`" for key in left[:8]) + (f" and {len(left) - 8} more" if len(left) > 8 else "")
        notes.append(f"the line below says nothing of {keys}: add the fields of `model` that they mean")
    written = ", ".join(f"{field} = {value or '…'}" for field, value in fields.items())
    return error(
        "E0209",
        message,
        span,
        Hint(f"give the hyperparameters directly: `model {{ {written} }}`"),
        others=(Label(place, "given here"),) if place is not None else (),
        notes=notes,
    )


def lacks_keys(
    span: Span, name: str, type: str, keys: list[str], misspelt: Mapping[str, Span] | None = None
) -> Diagnostic:
    """E0209: keys without which a model of that type is not described.

    Args:
        misspelt: Where one of them probably stands under another name.
    """
    listed = ", ".join(f"`{key}`" for key in keys)
    message = f"`{name}` lacks {listed}, required for `model_type` `{type}`"
    places = misspelt or {}
    hints = [f"did you mean `{key}` where the file says {at.text}?" for key, at in places.items()]
    others = [Label(at, f"probably `{key}`") for key, at in places.items()]
    return error("E0209", message, span, *hints, others=others)


def differs(span: Span, place: Span, name: str, key: str, type: str) -> Diagnostic:
    """E0209: a list of different numbers under a key that the table reads as one for all layers."""
    message = (
        f"`{name}` gives `{key}` as a list of different values; for `model_type` `{type}` one for all layers is read"
    )
    hint = f"write `{key}` as one number, or give the hyperparameters directly"
    return error("E0209", message, span, hint, others=(Label(place, "given here"),))


def refused_type(span: Span, name: str, type: str, why: str) -> Diagnostic:
    """E0209: a `model_type` whose layers are not those of a transformer; `why` says what they have."""
    message = f"`model_type` `{type}` of `{name}` is not supported: it has {why}"
    return error("E0209", message, span, "for a rough estimate give its parameters: `model { params = … }`")


def refused_value(span: Span, name: str, key: str, value: Span, type: str, why: str) -> Diagnostic:
    """E0209: a value of a key with which a type is not the one that the formulas describe; `why` says what it has."""
    message = f"`{key}` `{value.text}` of `{name}`, whose `model_type` is `{type}`, is not supported: it has {why}"
    return error("E0209", message, span, "for a rough estimate give its parameters: `model { params = … }`")


def repeated(span: Span, key: str, name: str) -> Diagnostic:
    """A key that stands twice in one object, so that the first of its values means nothing."""
    return _without_effect(span, f"`{key}` in `{name}` is repeated: the last of its values counts", "remove the others")


def not_read(span: Span, key: str, name: str, type: str, absent: list[str], read: list[str]) -> Diagnostic:
    """A key that names structure, and that the table of the type does not read.

    Args:
        absent: The keys that are read and that the file lacks, of which the key may be meant for one.
        read: All keys that are read.
    """
    alike = get_close_matches(key, absent, 1, 0.7)
    hint = f"did you mean `{alike[0]}`? Without it the default of the type is taken" if alike else None
    if not alike and (near := get_close_matches(key, read, 1, 0.55)):
        hint = f"the nearest key that is read is `{near[0]}`"
    more = "if it changes the model, give the field in the plan, which wins over the file"
    return _without_effect(span, f"`{key}` in `{name}` is not read for `model_type` `{type}`", hint, more)


def _without_effect(span: Span, message: str, *hints: str | None) -> Diagnostic:
    """W0614: a key of a configuration that means nothing for the plan."""
    return warning("W0614", message, span, *hints, label="without effect")
