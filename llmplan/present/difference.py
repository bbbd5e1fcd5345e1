"""What two plans differ in, on a screen and as a comment in Markdown.

Input: a difference. Output: a first line with the change of what is paid for and the verdicts that turned, then a table
each for decisions, inputs, results, what moved these, verdicts, files and the conditions that were asked for. The
comment has the lines of `compile --summary` below its first line and the tables folded away, and a bounded length.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve

from llmplan.answer.schema.difference import Apart, Difference
from llmplan.present import names, summary
from llmplan.present.blocks import Code, Column, Line, Rows, Section, bare, cut, line, listed
from llmplan.present.columns import table, wrapped
from llmplan.present.markdown import markdown as as_markdown
from llmplan.present.markdown import text
from llmplan.present.words.en import Words
from llmplan.present.words.en.labels import apart

_TOLD = ((names.WALL_TIME, names.TIME), (names.WALL_COST, names.COST))
"""What the first line tells: of each the first that differs."""

_OTHER = 0.01
"""The share by which tokens differ where they are others: a batch that divides otherwise moves them by less."""

_MOST_NAMED = 3
"""The most inputs that the first line names where nothing else differs."""

_MOST = 24
"""The most rows of a table in a comment."""

_WIDEST = 80
"""The most characters of a cell in a comment."""

_LONGEST = 60_000
"""The characters that a code host takes in a comment; the end is kept free for what closes it."""

_CLOSING = 1_000


def headline(of: Difference, words: Words) -> Line:
    """`b.plan against a.plan: wall_time +3.1 days (+12%), wall_cost +12,400 USD (+9%); deadline likely → no`."""
    results = {one.name: one for one in of.results}
    told = [next((results[name] for name in each if name in results), None) for each in _TOLD]
    moved = [words.moved_by(one) for one in told if one is not None] or [words.moved_by(one) for one in of.results[:2]]
    parts = [
        summary.feasible(of.summary, words) or None,
        listed(moved),
        _other_work(of, words),
        listed(words.verdict_turned(one) for one in of.summary.turned),
        None if moved else listed([words.value_changed(one) for one in of.summary.decided[:2]]),
    ]
    told_of = listed(parts, "; ") or _without_effect(of, words) or line(words.unchanged)
    return words.set_against(of.a.plan, of.b.plan, listed([told_of, *_newly_noted(of, words)], "; "))


def screen(of: Difference, width: int, words: Words) -> str:
    """What `llmplan diff` prints."""
    blocks = ["\n".join(wrapped(bare(headline(of, words)), width))]
    for title, rows in _tables(of, words):
        blocks.append(f"{title}\n{table([tuple(bare(cell) for cell in row) for row in rows.rows], width)}")
    return "\n\n".join(blocks) + "\n"


def markdown(of: Difference, words: Words) -> str:
    """A comment on a pull request."""
    bands = line(f"{words.results_moved}: ", listed(words.moved_from(one) for one in of.results))
    told = [*summary.rows(evolve(of.summary, results=()), words), *([bands] if of.results else [])]
    below = [f"- {text(row)}" for row in told]
    head = "\n".join([text(headline(of, words)), *([""] if below else []), *below])[: _LONGEST - 2 * _CLOSING]
    whole = f"{head}\n\n<details>\n<summary>{words.details_title}</summary>\n\n"
    for title, rows in _tables(of, words):
        section = Section(title, (_shortened(rows, words),))
        more = as_markdown(section, (rows.name,)).replace("## ", "### ", 1) + "\n"
        if len(whole) + len(more) > _LONGEST - _CLOSING:
            whole += f"{words.breaks_off}\n\n"
            break
        whole += more
    return f"{whole}</details>\n"


def _other_work(of: Difference, words: Words) -> Line | None:
    """That the plans train on more or fewer tokens, so that time and cost are not of the same work."""
    before, after = (side.values.get(names.TOKENS_TOTAL) for side in (of.a, of.b))
    if before is None or after is None or not (before.amount.finite and after.amount.finite):
        return None
    change = after.amount.number / before.amount.number - 1 if before.amount.number else 0.0
    return words.other_work(before.amount, after.amount, change) if abs(change) >= _OTHER else None


def _without_effect(of: Difference, words: Words) -> Line | None:
    """The inputs that differ where nothing else does: their effect may be one that is not counted."""
    names = [one.name for one in of.summary.inputs if one.what == "value"]
    return words.moves_nothing(names[:_MOST_NAMED]) if names else None


def _newly_noted(of: Difference, words: Words) -> Iterator[Line]:
    """What is to be said of the one answer and not of the other, such as that padded samples count as full."""
    remarks = [
        {one.name: one.otherwise for one in side.preferences if one.origin == "library"} for side in (of.a, of.b)
    ]
    for told, other, before in ((remarks[0], remarks[1], True), (remarks[1], remarks[0], False)):
        for name, remark in told.items():
            if remark and not other.get(name):
                yield words.newly_noted(remark, before)


def _tables(of: Difference, words: Words) -> Iterator[tuple[str, Rows]]:
    """The tables that have rows, each with its title."""
    name, before, after = words.name_column, words.before_column, words.after_column
    decided = [
        (line(Code(one.name)), line("–" if one.before is None else one.before.exact()), line(one.after.exact()))
        for one in of.summary.decided
    ]
    inputs = [(line(Code(one.name)), *map(line, words.ends_of(one)), line(one.place)) for one in of.summary.inputs]
    results = [
        (line(Code(one.name)), *map(line, apart(one.before, one.after, words.money)), line(words.change_of(one)))
        for one in of.results
    ]
    turned = [(words.verdict_turned(one),) for one in of.summary.turned]
    files = [(line(Code(one.name)), line(words.differs(one))) for one in of.files]
    asked = [(line(Code(one.text)), line(words.threshold(one))) for one in of.thresholds]
    tables = (
        ("decided", words.decided_anew, (name, before, after), decided),
        ("inputs", words.inputs_changed, (name, before, after, ""), inputs),
        ("results", words.results_moved, (name, before, after, words.moved_column), results),
        ("causes", words.causes_title, (name, words.by_column, words.of_column), list(_causes(of, words))),
        ("turned", words.verdicts_turned, (name,), turned),
        ("files", words.files_title, (name, ""), files),
        ("thresholds", words.thresholds_title, (name, ""), asked),
    )
    for block, title, heads, rows in tables:
        if rows:
            yield title, Rows(block, tuple(Column(line(head)) for head in heads), tuple(rows))


def _causes(of: Difference, words: Words) -> Iterator[tuple[Line, ...]]:
    """A row for each result and input; the result is named in the first."""
    results: dict[str, Apart] = {one.name: one for one in of.results}
    for name, shares in of.causes:
        for number, share in enumerate(shares):
            first = line() if number else line(Code(name))
            yield first, line(Code(share.input)), line(words.moves(share, results[name]))


def _shortened(rows: Rows, words: Words) -> Rows:
    """A table with as many rows and as wide cells as a comment has room for."""
    kept: list[Sequence[Line]] = [tuple(map(_cut, row)) for row in rows.rows[:_MOST]]
    more = len(rows.rows) - _MOST
    return Rows(rows.name, rows.columns, (*map(tuple, kept), *([(words.more_changes(more),)] if more > 0 else [])))


def _cut(cell: Line) -> Line:
    return tuple(
        Code(cut(piece.text, _WIDEST))
        if isinstance(piece, Code)
        else cut(piece, _WIDEST)
        if isinstance(piece, str)
        else piece
        for piece in cell
    )
