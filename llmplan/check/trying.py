"""What decorators say of trying other values: `@lever` at a field, `@compared` at a quantity.

Input are the decorators and the type of a field; output plain data for the program, and diagnostics for texts that are
no factor, no member or no place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from llmplan.diagnostics import Diagnostic, names, units
from llmplan.syntax import nodes
from llmplan.units.measure import EnumType, KindType, Measure, Type

Report = Callable[[Diagnostic], None]

_PLACES = 2


def tried(
    decorators: Sequence[nodes.Decorator], type: Type, report: Report
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """The factors of a number, or the members of a choice, that a `@lever` names; E0201 and E0303 for other texts."""
    factors: list[float] = []
    members: list[str] = []
    for text in (text for one in decorators if one.name.text == "lever" for text in one.arguments):
        word = text.plain or ""
        if isinstance(type, EnumType):
            if word in type.members:
                members.append(word)
            else:
                report(names.unknown_member(text.span, word, type.name, type.members))
        elif isinstance(type, KindType) and type.choice:
            members.append(word)  # which entries there are is known once all are declared
        elif not isinstance(type, Measure):
            report(units.not_here(text.span, f'"{word}"', "`@lever` alone at a field that is no number and no enum"))
        elif (factor := _number(word)) is None or not factor > 0.0 or factor == 1.0:
            report(units.not_here(text.span, f'"{word}"', "a factor above 0 other than 1"))
        else:
            factors.append(factor)
    return tuple(dict.fromkeys(factors)), tuple(dict.fromkeys(members))


def ranks(decorators: Sequence[nodes.Decorator], report: Report) -> tuple[int, int] | None:
    """The two places of `@compared("1", "2")`; E0303 where there are not two, or one is no whole number."""
    for one in decorators:
        if one.name.text != "compared":
            continue
        if len(one.arguments) != _PLACES:
            report(units.wrong_count(one.name.span, "@compared", "2 arguments", len(one.arguments)))
            return None
        found = [_number(text.plain or "") for text in one.arguments]
        for text, place in zip(one.arguments, found):
            if place is None or place != math.floor(place) or place < 1:
                report(units.not_here(text.span, f'"{text.plain or ""}"', "a whole number above 0"))
                return None
        return int(found[0] or 0), int(found[1] or 0)
    return None


def _number(text: str) -> float | None:
    """A finite number in ASCII digits, as a plan would have it."""
    if not text.isascii() or text.strip() != text or not text.replace(".", "", 1).isdigit():
        return None
    return float(text) if math.isfinite(float(text)) else None
