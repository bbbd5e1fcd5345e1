"""The two sides of a requirement as they are written, also within a chance and in parentheses."""

from __future__ import annotations

import pytest

from llmplan.source import Source, Span
from llmplan.system.comparison import sides_at


@pytest.mark.parametrize(
    ("text", "event", "sides"),
    [
        ("time <= 30 days", False, ("time", "30 days")),
        ("((x) >= (5))", False, ("x", "5")),
        ("1 MUSD >= 2 * cost", False, ("1 MUSD", "2 * cost")),
        ("chance(time <= 30 days) >= 80%", True, ("time", "30 days")),
        ("chance(time <= 30 days) >= 80%", False, ("chance(time <= 30 days)", "80%")),
        ("80% <= chance(1 MUSD >= 2 * cost)", True, ("1 MUSD", "2 * cost")),
        ("1 <= x <= 2", False, None),
        ("x in [1, 2]", False, None),
    ],
)
def test_sides(text: str, event: bool, sides: tuple[str, str] | None) -> None:
    source = Source("own.plan", f"let y = 1\nrequire {text}\n")
    start = source.text.index(text)
    places = sides_at(Span(source, start, start + len(text)), event)
    assert (None if places is None else tuple(place.text for place in places)) == sides
