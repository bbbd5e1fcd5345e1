"""Why a run had no memory left, as a terminal shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from llmplan.answer.schema.advice import Lever, Relaxation, as_made
from llmplan.answer.schema.solution import Solution
from llmplan.present.blocks import Line, line, plain
from llmplan.present.columns import wrapped
from llmplan.present.words.en import Words
from llmplan.units import amount
from llmplan.why.matching import Diagnosis, Match
from llmplan.why.message import Message

_MOST = 3


def render(
    diagnosis: Diagnosis,
    changes: Sequence[Lever | Relaxation],
    solution: Solution | None,
    words: Words,
    width: int,
    seen: str = "",
) -> str:
    """The text, which ends with a line end."""
    lines: list[str] = wrapped(plain(words.seen_in_frames(seen)), width) if seen else []
    for said in _lines(diagnosis, solution, words):
        lines += wrapped(plain(said), width)
    if diagnosis.resident and solution is not None:
        lines += ["", words.resident_title]
        lines += [f"  {name.partition('.')[2]:<12} {amount.binary(size)}" for name, size in diagnosis.resident]
    if changes:
        lines += ["", words.avoided_title]
        for change in changes[:_MOST]:
            lines += [f"  {part}" for part in wrapped(_made(change), width - 2)]
    elif solution is not None and diagnosis.needed and diagnosis.planned and not _elsewhere(diagnosis.message):
        fits = solution.status != "infeasible" and diagnosis.needed <= diagnosis.planned
        sizes = amount.binary(diagnosis.needed), amount.binary(diagnosis.planned)
        lines += ["", *wrapped(plain(line(words.no_changes(fits, *sizes))), width)]
    return "\n".join(lines) + "\n"


def _elsewhere(message: Message) -> bool:
    """Whether no change of what a card holds would have avoided it."""
    return message.host or message.engine


def _made(change: Lever | Relaxation) -> str:
    """A change, with those beside it that it takes."""
    parts = (change, *change.beside) if isinstance(change, Relaxation) else (change,)
    return ", ".join(dict.fromkeys(map(as_made, parts)))


def _lines(diagnosis: Diagnosis, solution: Solution | None, words: Words) -> Iterator[Line]:
    message = diagnosis.message
    tried = None if message.tried is None else amount.binary(message.tried.bytes)
    for cause in diagnosis.causes:
        yield line(words.failure_cause(cause, tried or "", _beside(cause, diagnosis), message.setting))
    if not diagnosis.matches:
        if not message.elsewhere and not message.host and not message.engine:
            yield words.not_told(tried, solution is not None)
    else:
        first, *others = diagnosis.matches
        yield from _first(first, tried, words)
        for other in others[: _MOST - 1]:
            yield words.or_else(other.allocation.doc, other.allocation.name, other.proof)
        if others and not message.frames:
            yield line(words.told_apart())
    if message.also:
        yield line(words.others_failed(_counted(message.also)))
    if diagnosis.pieces is not None and tried is not None:
        yield line(words.pieces(diagnosis.pieces, tried))
    total = solution.values.get("memory.total") if solution is not None else None
    if total is not None and isinstance(total.value, (int, float)):
        allocated = None if message.allocated is None else amount.binary(message.allocated.bytes)
        yield words.compared_with(allocated, amount.binary(float(total.value)))


def _counted(others: Sequence[Message]) -> list[tuple[str, int]]:
    """What other messages asked for, with how many did."""
    return list(Counter(amount.binary(one.tried.bytes) for one in others if one.tried is not None).items())


def _first(match: Match, tried: str | None, words: Words) -> Iterator[Line]:
    one = match.allocation
    if match.unlike:
        yield words.seen(one.doc, one.moment)
    else:
        yield words.failed(tried, one.doc, one.moment, match.proof)
    size = match.size if match.samples is None else None
    yield words.formula_of(one.name, one.formula, None if size is None else amount.binary(size))
    if match.samples is not None:
        yield line(words.explained_by(match.samples))


def _beside(cause: str, diagnosis: Diagnosis) -> str:
    """The other size of a cause."""
    message = diagnosis.message
    if cause == "another" and message.total is not None and diagnosis.planned is not None:
        return f"{amount.binary(message.total.bytes)} / {amount.binary(diagnosis.planned)}"
    if cause == "unlike" and message.allocated is not None and diagnosis.needed is not None:
        return f"{amount.binary(message.allocated.bytes)} / {amount.binary(diagnosis.needed)}"
    if cause == "too large" and diagnosis.planned is not None and diagnosis.needed is not None:
        return f"{amount.binary(diagnosis.needed)} / {amount.binary(diagnosis.planned)}"
    if cause in ("limited", "engine") and message.free is not None:
        return amount.binary(message.free.bytes)
    if cause in ("fragmented", "still fragmented") and message.reserved is not None and message.allocated is not None:
        return amount.binary(message.reserved.bytes - message.allocated.bytes)
    return amount.binary(message.others)
