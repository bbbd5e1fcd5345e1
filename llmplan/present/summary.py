"""What a change of a plan does, in at most eight lines of Markdown: for a pull request, and the last line of `compile`.

Input: a summary. Output: its first line, which says how results moved and which verdicts turned; the others list the
changed inputs, the other decisions and the results, each with what it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from llmplan.answer.schema.summary import Cause, Summary
from llmplan.present.blocks import EMPTY, Line, bare, line, listed
from llmplan.present.markdown import text
from llmplan.present.words.en import Words

_MOST = 4
"""The most changes that a line names."""

_MOST_CAUSES = 12


def moved(summary: Summary, words: Words) -> Line:
    """`wall_time 29.3 days (-24%), deadline no (18%) → likely (63%)`; nothing where all is as it was."""
    told = [line(feasible(summary, words))] if summary.met else []
    told += [words.result_moved(one, short=True) for one in summary.results]
    told += [words.verdict_turned(one) for one in summary.turned]
    return _most(told, words) if told else EMPTY


def feasible(summary: Summary, words: Words) -> str:
    """Whether its requirements can be met, where that is not as it was, or where they cannot; else empty."""
    return {"": "", "no longer": words.no_longer_met(), "never": words.never_met(), "again": words.met_again()}[
        summary.met
    ]


def markdown(summary: Summary, words: Words) -> str:
    """All of it."""
    below = list(rows(summary, words))
    first = words.summary(summary.plan, summary.known, moved(summary, words))
    return "\n".join([text(first), *([""] if below else []), *(f"- {text(row)}" for row in below)]) + "\n"


def causes(made: Sequence[Cause], words: Words) -> tuple[str, ...]:
    """What differs from the last run, with what made it differ: the first of it."""
    told = [line(words.cause(one)) for one in made[:_MOST_CAUSES]]
    more = len(made) - _MOST_CAUSES
    return tuple(map(bare, [*told, *([words.more_changes(more)] if more > 0 else [])]))


def changed(summary: Summary, words: Words) -> tuple[str, ...]:
    """The decisions and the results that differ: `hardware.gpus 96 GPUs → 128 GPUs`, `wall_time 29.3 days (-24%)`."""
    if not summary.known:
        return ()
    decided = [words.value_changed(one) for one in summary.decided]
    return tuple(map(bare, [*decided, *(words.result_moved(one, short=True) for one in summary.results)]))


def rows(summary: Summary, words: Words) -> Iterator[Line]:
    """A line each for the changed inputs, the other decisions, the results and the verdicts."""
    told = {
        words.inputs_changed: [line(words.altered(one)) for one in summary.inputs],
        words.decided_anew: [words.value_changed(one) for one in summary.decided],
        words.results_moved: [words.result_moved(one) for one in summary.results],
        words.verdicts_turned: [words.verdict_turned(one) for one in summary.turned],
    }
    for label, changes in told.items() if summary.known else ():
        if changes:
            yield line(f"{label}: ", _most(changes, words))


def _most(told: Sequence[Line], words: Words) -> Line:
    more = len(told) - _MOST
    return listed([*told[:_MOST], *([words.more_changes(more)] if more > 0 else [])], ", ")
