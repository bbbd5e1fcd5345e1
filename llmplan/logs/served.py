"""What the log of a server measures: the tokens that its cache holds, and the rate at which it generates under load.

Input: what a log tells. Output: readings in base units, and whether its load is the planned one.
"""

from __future__ import annotations

from llmplan.logs.readings import Reading
from llmplan.logs.run import Common
from llmplan.logs.samples import figure
from llmplan.units import amount

CACHE, RATE = "serving.cache_tokens", "serving.output_rate"
_LOADED = 0.9
"""The share of the most requests that were under way at once from which a line is one of the server under load."""

_FEWEST = 3
_AS_PLANNED = 0.1
"""By what share the requests under way may differ from those that are planned."""


def of_server(common: Common) -> list[Reading]:
    """The readings of a server."""
    found = []
    if common.cache is not None and common.cache[0] > 0:
        tokens, line = common.cache
        found.append(Reading(CACHE, tokens, "token", 1.0, (line, line)))
    loaded = _loaded(common)
    if loaded:
        rates = figure([rate for _, rate, _ in loaded])
        note = f"with {amount.count(_running(loaded))} requests under way at once"
        lines = (loaded[0][2], loaded[-1][2])
        found.append(Reading(RATE, rates.mean, "token/s", 1.0, lines, rates.low, rates.high, note))
    return found


def of_a_server(reading: Reading) -> bool:
    """Whether a reading is one of those."""
    return reading.name in (CACHE, RATE)


def other_load(common: Common, planned: float | None) -> tuple[str, str, int] | None:
    """Requests under way at once as planned and as seen, with a line of the log, where they are not the same."""
    loaded = _loaded(common)
    if not loaded or planned is None or abs(_running(loaded) / planned - 1) <= _AS_PLANNED:
        return None
    return amount.count(planned), amount.count(_running(loaded)), loaded[0][2]


def _loaded(common: Common) -> list[tuple[float, float, int]]:
    """What a server tells under load; nothing of fewer lines than say something."""
    most = max((running for running, _, _ in common.served), default=0.0)
    loaded = [one for one in common.served if one[0] >= _LOADED * most > 0 and one[1] > 0]
    return loaded if len(loaded) >= _FEWEST else []


def _running(loaded: list[tuple[float, float, int]]) -> int:
    return round(sum(running for running, _, _ in loaded) / len(loaded))
