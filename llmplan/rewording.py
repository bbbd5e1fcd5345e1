"""An answer on configurations, told in their words: each change as the keys of the files that make it.

Input: a solution, and the files that its plan was read from. Output: the same solution whose levers and cures have the
edits of files, with the numbered changes of an infeasible one as edits of their texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve

from llmplan.answer.schema.advice import Assumed, FileEdit, Relaxation, as_made
from llmplan.check import library
from llmplan.diagnostics import Diagnostic, Edit, Hint
from llmplan.read.edited import inserted, located
from llmplan.read.edits import Files
from llmplan.read.values import Data, Member
from llmplan.source import Source, Span
from llmplan.units.amount import Amount

if TYPE_CHECKING:
    from llmplan.answer.schema.solution import Solution

_NUMBERED = re.compile(r"\d+: ")
_INFEASIBLE = "E0402"
_STACK = "stack"


def reworded(solution: Solution, files: Files) -> Solution:
    """An answer whose changes are told in the words of the files that the plan was read from."""
    texts = {name: Source(name, text) for name, text in files.texts.items()}
    levers = tuple(evolve(one, in_files=_in_files(files, one.name, one.amount)) for one in solution.levers)
    cures = [_cure(files, one) for one in solution.relaxations]
    # A change that the files have a key for comes first, but for one that changes what is asked.
    cures.sort(key=lambda cure: (any(one.question for one in (cure, *cure.beside)), not cure.in_files))
    cures = [cure for cure in cures if _can_be_told(cure)] or cures
    diagnostics = tuple(
        _reworded(one, cures, texts) if one.code == _INFEASIBLE else one for one in solution.diagnostics
    )
    assumptions = (*_stack(solution, files), *solution.assumptions)
    return evolve(solution, levers=levers, relaxations=tuple(cures), diagnostics=diagnostics, assumptions=assumptions)


def _can_be_told(cure: Relaxation) -> bool:
    """Whether each part of a change is made in the files, or on machines and in what is asked of them."""
    software = library.load(tables=False)[0].software
    return all(one.in_files or one.name.partition(".")[0] not in software for one in (cure, *cure.beside))


def _cure(files: Files, cure: Relaxation) -> Relaxation:
    """A change, and those beside it, each with the keys that none before it has set already."""
    told: list[FileEdit] = []
    parts = []
    for one in (cure, *cure.beside):
        own = _in_files(files, one.name, one.values[0] if one.values else None)
        parts.append(evolve(one, in_files=tuple(edit for edit in own if edit not in told)))
        told += own
    return evolve(parts[0], beside=tuple(parts[1:]))


def _stack(solution: Solution, files: Files) -> Iterator[Assumed]:
    """The release of the software, which decides what a step holds, where no file names one."""
    found, value = files.reading.found.get(_STACK), solution.values.get(_STACK)
    if found is None or value is None or not found.release:
        return
    family, _, release = str(value.value).rpartition("-")
    entries = library.load(tables=False)[0].entries[_STACK]
    others = [name for name in entries if name.rpartition("-")[0] == family and name.rpartition("-")[2] != release]
    instead = f"; {' or '.join(others)} by `--set stack=NAME`" if others else ""
    yield Assumed(_STACK, value.amount, f"as no file names a release{instead}")


def _in_files(files: Files, path: str, wanted: Amount | None) -> tuple[FileEdit, ...]:
    if wanted is None:
        return ()
    value = wanted.value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        data: Data = Fraction(repr(value))
    else:
        data = value if isinstance(value, bool) else Member(str(value))
    return tuple(FileEdit(one.key, one.before, one.after, one.file, one.line) for one in files.edits(path, data))


def _reworded(diagnostic: Diagnostic, cures: Sequence[Relaxation], texts: Mapping[str, Source]) -> Diagnostic:
    """The numbered changes in their new order, each in the words of the files where it has some."""
    numbered = {hint.text.partition(": ")[2]: hint for hint in diagnostic.hints if _NUMBERED.match(hint.text)}
    others = [evolve(hint, edits=()) for hint in diagnostic.hints if not _NUMBERED.match(hint.text)]
    told = []
    for cure in cures:
        own = next((text for text in numbered if text.startswith(f"`{cure.statement}`")), None)
        if own is not None:
            parts = (cure, *cure.beside)
            edits = [_edits(one.in_files, texts) for one in parts]
            text = " and ".join(map(_made, parts)) if all(one.in_files for one in parts) else own
            told.append((text, tuple(edit for one in edits for edit in one) if all(edits) else ()))
    hints = [Hint(f"{number}: {text}", edits) for number, (text, edits) in enumerate(told, 1)]
    return evolve(diagnostic, hints=(*hints, *others))


def _made(change: Relaxation) -> str:
    return f"`{as_made(change)}`{f', which changes {change.changes}' if change.changes else ''}"


def _edits(changes: Sequence[FileEdit], texts: Mapping[str, Source]) -> tuple[Edit, ...]:
    """The changes of files as edits of their texts; none unless each is one."""
    found = []
    for change in changes:
        source = texts.get(change.file)
        if source is None:
            return ()
        if change.before is not None:
            place = located(source.text, change.key, change.before, change.line)
            edit = None if place is None else Edit(Span(source, *place), change.after)
        else:
            new = inserted(change.file, source.text, change.key, change.after, change.line)
            edit = None if new is None else Edit(Span(source, new[0], new[0]), new[1])
        if edit is None:
            return ()
        found.append(edit)
    return tuple(found)
