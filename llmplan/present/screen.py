"""Sections on one screen: the answer and its verdicts, then the unknowns, levers, results and what it rests on.

Input: the context of a solution and the width of the terminal; output the text. Every line fits the width, the last
cell of a row goes on below itself.
"""

from __future__ import annotations

from llmplan.present import names
from llmplan.present.blocks import Block, Chart, Prose, Rows, bare, plain
from llmplan.present.columns import table, wrapped
from llmplan.present.context import Context
from llmplan.present.localize import localized
from llmplan.present.sections import SECTIONS

HEAD = (("front", "plain"), ("verdicts", "plain"), ("verdicts", "rivals"))
"""What stands below the headline: sections of the answer, each with the block that a screen shows."""

BODY = (
    ("why", "plain"),
    ("why", "prices"),
    ("best changes", "best"),
    ("best changes", "rates"),
    ("verdicts", "departures"),
    ("basis", "replaced"),
    ("basis", "measured"),
    ("verdicts", "preferences"),
    ("shown", "plain"),
    ("results", "plain"),
    ("basis", "plain"),
    ("notes", "plain"),
)
"""What stands below them, each under the title of its block."""

OF_THE_NEAREST = (("why", "plain"), ("verdicts", "departures"), ("basis", "replaced"), ("shown", "plain"))
"""The same of an infeasible plan: with the decision and its cure it has room on a terminal of 24 rows."""


def render(context: Context, width: int) -> str:
    """What `llmplan solve` prints below the head; ends with a line end."""
    blocks = [head(context, width).rstrip("\n")]
    body = OF_THE_NEAREST if context.answer.status == "infeasible" else BODY
    blocks += [told for section, name in body if (told := titled(_chosen(context, section, name), width))]
    return "\n\n".join(blocks) + "\n"


def gate(context: Context) -> str:
    """The verdicts on one line: on memory, and on what is not met."""
    rows = [row for row in _rows(_chosen(context, "verdicts", "plain")) if len(row) > 1]
    failed = {rule.name for rule in context.answer.requirements if rule.holds is False}
    told = [" ".join(cell for cell in row if cell) for row in rows if row[0] == names.FITS or row[0] in failed]
    return "; ".join(told) or context.words.not_checked


def titled(block: Block | None, width: int) -> str:
    """A block below its title, if it has one, without a line end; empty for one without rows."""
    rows = _rows(block)
    if not rows or not isinstance(block, (Prose, Rows)):
        return ""
    return "\n".join([block.title, table(rows, width)] if block.title else [table(rows, width)])


def head(context: Context, width: int) -> str:
    """The answer and its verdicts; ends with a line end."""
    answer = _chosen(context, "answer", "headline")
    said = " ".join(plain(line) for line in answer.lines) if isinstance(answer, Prose) else ""
    headline = "\n".join(wrapped(said, width))
    below = (table(rows, width) for section, name in HEAD if (rows := _rows(_chosen(context, section, name))))
    return "\n".join([headline, *below]) + "\n"


def assumed(context: Context, width: int) -> str:
    """What the answer rests on that its plan does not say, under its title; empty if it rests on nothing else."""
    told = titled(_chosen(context, "basis", "plain"), width)
    return f"{told}\n" if told else ""


def departures(context: Context) -> list[tuple[str, ...]]:
    """What the plan waives or replaces, requirements and formulas, each with its place and reason."""
    formulas = _rows(_chosen(context, "basis", "replaced"))
    replaced = [(context.words.departure("replaced"), *row) for row in formulas]
    return [*_rows(_chosen(context, "verdicts", "departures")), *replaced]


def _chosen(context: Context, section: str, name: str) -> Block | None:
    block = next((block for block in SECTIONS[section](context).blocks if block.name == name), None)
    return localized(block, context.words)


def _rows(block: Block | None) -> list[tuple[str, ...]]:
    match block:
        case Rows():
            return [tuple(bare(cell) for cell in row) for row in block.rows]
        case Prose():
            return [(plain(line),) for line in block.lines]
        case Chart() | None:
            return []
