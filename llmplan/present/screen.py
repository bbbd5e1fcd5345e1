"""Sections on one screen: the answer and its verdicts, then the unknowns, levers, results and what it rests on.

Input: the context of a solution and the width of the terminal; output the text. Every line fits the width, the last
cell of a row goes on below itself.
"""

from __future__ import annotations

import textwrap

from llmplan.present.blocks import Block, Chart, Prose, Rows, bare, plain
from llmplan.present.columns import LEAST, table
from llmplan.present.context import Context
from llmplan.present.sections import SECTIONS

HEAD = (("answer", "headline"), ("verdicts", "plain"))
"""The sections of the answer and its verdicts, each with the block that a screen shows."""

BODY = (
    ("why", "plain"),
    ("why", "prices"),
    ("best changes", "best"),
    ("best changes", "rates"),
    ("verdicts", "departures"),
    ("basis", "replaced"),
    ("verdicts", "preferences"),
    ("shown", "plain"),
    ("front", "plain"),
    ("results", "plain"),
    ("basis", "plain"),
    ("notes", "plain"),
)
"""What stands below them, each under the title of its block."""


def render(context: Context, width: int) -> str:
    """What `llmplan solve` prints below the head; ends with a line end."""
    blocks = [head(context, width).rstrip("\n")]
    blocks += [told for section, name in BODY if (told := titled(_chosen(context, section, name), width))]
    return "\n\n".join(blocks) + "\n"


def titled(block: Block | None, width: int) -> str:
    """A block below its title, if it has one, without a line end; empty for one without rows."""
    rows = _rows(block)
    if not rows or not isinstance(block, (Prose, Rows)):
        return ""
    return "\n".join([block.title, table(rows, width)] if block.title else [table(rows, width)])


def head(context: Context, width: int) -> str:
    """The answer and its verdicts; ends with a line end."""
    (section, headline), (judged, name) = HEAD
    answer = _chosen(context, section, headline)
    said = " ".join(plain(line) for line in answer.lines) if isinstance(answer, Prose) else ""
    wrapped = "\n".join(textwrap.wrap(said, max(LEAST, width), break_long_words=False, break_on_hyphens=False))
    rows = _rows(_chosen(context, judged, name))
    return f"{wrapped}\n{table(rows, width)}\n" if rows else f"{wrapped}\n"


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
    return next((block for block in SECTIONS[section](context).blocks if block.name == name), None)


def _rows(block: Block | None) -> list[tuple[str, ...]]:
    match block:
        case Rows():
            return [tuple(bare(cell) for cell in row) for row in block.rows]
        case Prose():
            return [(plain(line),) for line in block.lines]
        case Chart() | None:
            return []
