"""Mistakes in decorators: where they stand, how many arguments they have, and what these are."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from llmplan.diagnostics.record import Diagnostic, Edit, Hint, error
from llmplan.diagnostics.spelling import closest, did_you_mean, listing
from llmplan.source import Span

_FEW = 12

# E0310: the place and the arguments of a decorator


def misplaced(span: Span, name: str, place: str, allowed: Sequence[str]) -> Diagnostic:
    """E0310: a decorator above a declaration that it does not annotate."""
    message = f"`@{name}` cannot stand above `{place}`"
    return error("E0310", message, span, "it stands above " + ", ".join(f"`{place}`" for place in allowed))


def too_few(span: Span, name: str, wanted: str, number: int, example: str) -> Diagnostic:
    """E0310: arguments are missing."""
    return error("E0310", f"`@{name}` takes {wanted}, found {number}", span, f"write it as in `{example}`")


def too_many(span: Span, name: str, wanted: str, number: int, edit: Edit) -> Diagnostic:
    """E0310: `span` holds the first argument that is too many, and `edit` removes it with all after it."""
    hint = Hint("leave out what is too many", (edit,))
    return error("E0310", f"`@{name}` takes {wanted}, found {number}", span, hint)


def wrong_argument(span: Span, name: str, wanted: str, meant: str = "") -> Diagnostic:
    """E0310: an argument of another sort; `meant` is how it is written, where that is known."""
    hint = Hint(f"write `{meant}`", (Edit(span, meant),)) if meant else None
    return error("E0310", f"`@{name}` expects {wanted}, found `{span.text}`", span, hint)


def unknown_argument(span: Span, name: str, wanted: str, known: Collection[str]) -> Diagnostic:
    """E0310: an argument that names nothing, or nothing of the sort that is wanted."""
    message = f"`@{name}` expects {wanted}, and nothing of that sort is called `{span.text}`"
    few = "there are " + listing(known, _FEW) if 0 < len(known) <= _FEW else ""
    return error("E0310", message, span, *did_you_mean(span, span.text, known), notes=(few,))


def unmeant(span: Span, name: str, kind: str, members: Collection[str]) -> Diagnostic:
    """E0310: `@usual` of a name that fits only the entry below it.

    Args:
        members: Of the enums by which fields of such entries are read.
    """
    message = f"`@usual` expects a name that fits several entries, and no other {kind} has, or begins with, `{name}`"
    near = [Hint(f"did you mean `{one}`?", (Edit(span, f'"{one}"'),)) for one in closest(name, members)]
    hints = near or [Hint("leave it out, or write `@names` for one more name of the entry")]
    notes = (f"it can also stand for {listing(members, _FEW)}",) if members else ()
    return error("E0310", message, span, *hints, notes=notes)
