"""How many cases of a parametrised test run by default: with `@pytest.mark.quick(3)` three, spread over all.

The cases of one test go through the same code, so that most defects show in any of them; the others, which tell about
their own values only, are `slow`, and run in `.ci/run`. As `pytestmark` of a module it holds for each test there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import pytest


def spread(count: int, total: int) -> list[int]:
    """So many positions out of all, the first among them, at even distances."""
    return [at * total // count for at in range(count)] if count < total else list(range(total))


def mark_others_slow(items: Iterable[pytest.Item]) -> None:
    cases: dict[tuple[object, str], list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and not item.get_closest_marker("slow"):
            cases[item.parent, item.originalname].append(item)
    for listed in cases.values():
        if mark := listed[0].get_closest_marker("quick"):
            kept = set(spread(*mark.args, len(listed)))
            for at, item in enumerate(listed):
                if at not in kept:
                    item.add_marker("slow")
