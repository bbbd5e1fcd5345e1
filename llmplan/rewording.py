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

from llmplan import api, importing
from llmplan.answer.schema.advice import Assumed, FileEdit, Lever, Relaxation, as_made
from llmplan.check import library
from llmplan.diagnostics import Diagnostic, Edit, Hint
from llmplan.read import edits as read
from llmplan.read.edited import inserted, located
from llmplan.read.edits import Files
from llmplan.read.values import Data, Member
from llmplan.request import Request
from llmplan.solve.effort import Progress
from llmplan.source import Source, Span
from llmplan.units.amount import Amount

if TYPE_CHECKING:
    from llmplan.answer.schema.solution import Solution

_NUMBERED = re.compile(r"\d+: ")
_INFEASIBLE = "E0402"
_STACK = "stack"
_MOST_AGAIN = 2
"""How often an answer without a change that can be made is looked for again."""


def reworded(solution: Solution, files: Files) -> Solution:
    """An answer whose changes are told in the words of the files that the plan was read from."""
    texts = {name: Source(name, text) for name, text in files.texts.items()}
    levers = tuple(evolve(one, in_files=_lever(files, one)) for one in solution.levers)
    software = library.load(tables=False)[0].software
    levers = tuple(one for one in levers if one.in_files or one.name.partition(".")[0] not in software)
    now = {path: _data(one.amount) for path, one in solution.values.items() if one.amount is not None}
    cures = [_cure(files, one, now) for one in solution.relaxations]
    cures.sort(key=lambda cure: _order(cure, all(_edits(one.in_files, texts, files) for one in (cure, *cure.beside))))
    cures = [cure for cure in cures if _can_be_told(cure)] or cures
    cures = [one for at, one in enumerate(cures) if not any(_keys(one) == _keys(other) != () for other in cures[:at])]
    diagnostics = tuple(
        _reworded(one, cures, texts, files) if one.code == _INFEASIBLE else one for one in solution.diagnostics
    )
    assumptions = (*_stack(solution, files), *solution.assumptions)
    return evolve(solution, levers=levers, relaxations=tuple(cures), diagnostics=diagnostics, assumptions=assumptions)


def answered(asked: Request, files: Files, progress: Progress | None = None) -> Solution:
    """The answer to what files are asked, in their words. Where none of its changes can be made in them, it is solved
    again without the inputs that no key of theirs sets."""
    asked, solution = solved(evolve(asked, progress=progress or asked.progress))
    first = told = reworded(solution, files)
    for _ in range(_MOST_AGAIN):
        if solution.status != "infeasible" or any(map(_made_there, told.relaxations)):
            return told
        untold = {one.name for cure in solution.relaxations for one in _untold(files, cure)} - {*asked.kept}
        if not untold:
            break
        asked = evolve(asked, kept=(*asked.kept, *sorted(untold)))
        told = reworded(solution := api.solve(asked), files)
    return told if any(map(_made_there, told.relaxations)) else first


def solved(asked: Request) -> tuple[Request, Solution]:
    """The answer to what files are asked, and that: whether a run fits is told also where its speed cannot be."""
    solution = api.solve(asked)
    plain = importing.without_speed(asked)
    if solution.status != "error" or plain == asked:
        return asked, solution
    again = api.solve(plain)
    return (asked, solution) if again.status == "error" else (plain, again)


def _untold(files: Files, cure: Relaxation) -> Iterator[Relaxation]:
    """The parts of a change that no key of the files makes for itself."""
    for one in (cure, *cure.beside):
        alone = evolve(
            one, beside=(), in_files=_in_files(files.edits({one.name: _data(one.values[0])})) if one.values else ()
        )
        if not _can_be_told(alone):
            yield one


def _made_there(cure: Relaxation) -> bool:
    """Whether a change is made in the files and trains the same."""
    parts = (cure, *cure.beside)
    return bool(cure.in_files) and not any(one.question or one.changes for one in parts)


def _can_be_told(cure: Relaxation) -> bool:
    """Whether each part of a change is made in the files, or on machines and in what is asked of them."""
    software = library.load(tables=False)[0].software
    return all(one.in_files or one.name.partition(".")[0] not in software for one in (cure, *cure.beside))


def _order(cure: Relaxation, is_edit: bool) -> tuple[bool, bool, bool, bool, int]:
    """Changes that files have keys for come first, of those what trains the same, what `--fix` can make, and the fewest
    keys; but for what changes the question."""
    parts = (cure, *cure.beside)
    question, changed = any(one.question for one in parts), any(one.changes for one in parts)
    return question, not cure.in_files, changed, not is_edit, len(_keys(cure))


def _keys(cure: Relaxation) -> tuple[FileEdit, ...]:
    """All keys that make a change, each once."""
    return tuple(dict.fromkeys(edit for one in (cure, *cure.beside) for edit in one.in_files))


def _cure(files: Files, cure: Relaxation, now: Mapping[str, Data]) -> Relaxation:
    """A change, and those beside it, each with the keys that make it, or with the keys that make all of them."""
    parts = (cure, *cure.beside)
    wanted = {one.name: _data(one.values[0]) for one in parts if one.values}
    if len(wanted) < len(parts):
        return cure
    alone = [files.offered(wanted, now)] * len(parts)
    if not alone[0]:
        alone = [files.edits({path: value}) for path, value in wanted.items()]
        keys = [{(edit.key, edit.file, edit.line) for edit in edits} for edits in alone]
        if len(parts) > 1 and (not all(alone) or sum(map(len, keys)) > len(set.union(*keys))):
            alone = [files.edits(wanted) or files.covered(wanted, now)] * len(parts)
    made = [evolve(one, in_files=_in_files(edits)) for one, edits in zip(parts, alone, strict=True)]
    return evolve(made[0], beside=tuple(made[1:]))


def _lever(files: Files, lever: Lever) -> tuple[FileEdit, ...]:
    return () if lever.amount is None else _in_files(files.edits({lever.name: _data(lever.amount)}))


def _stack(solution: Solution, files: Files) -> Iterator[Assumed]:
    """The release of the software, which decides what a step holds, where no file names one."""
    value = solution.values.get(_STACK)
    if value is not None and _unnamed(files):
        others = other_releases(solution, files)
        instead = f"; {' or '.join(others)} by `--set stack=NAME`" if others else ""
        yield Assumed(_STACK, value.amount, f"as no file names a release{instead}")


def _unnamed(files: Files) -> bool:
    found = files.reading.found.get(_STACK)
    return found is not None and bool(found.release)


def other_releases(solution: Solution, files: Files) -> list[str]:
    """The other releases that the software of the files may be, as none of them names one."""
    value = solution.values.get(_STACK)
    if value is None or not _unnamed(files):
        return []
    family, _, release = str(value.value).rpartition("-")
    entries = library.load(tables=False)[0].entries[_STACK]
    return [name for name in entries if name.rpartition("-")[0] == family and name.rpartition("-")[2] != release]


def _in_files(found: tuple[read.Edit, ...]) -> tuple[FileEdit, ...]:
    return tuple(FileEdit(one.key, one.before, one.after, one.file, one.line) for one in found)


def _data(amount: Amount) -> Data:
    value = amount.value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Fraction(repr(value))
    return value if isinstance(value, bool) else Member(str(value))


def _reworded(
    diagnostic: Diagnostic, cures: Sequence[Relaxation], texts: Mapping[str, Source], files: Files
) -> Diagnostic:
    """The numbered changes in their new order, each in the words of the files where it has some."""
    numbered = {hint.text.partition(": ")[2]: hint for hint in diagnostic.hints if _NUMBERED.match(hint.text)}
    others = [evolve(hint, edits=()) for hint in diagnostic.hints if not _NUMBERED.match(hint.text)]
    told = []
    for cure in cures:
        own = next((text for text in numbered if text.startswith(f"`{cure.statement}`")), None)
        if own is not None:
            parts = (cure, *cure.beside)
            edits = [_edits(keys, texts, files) for keys in dict.fromkeys(one.in_files for one in parts)]
            text = " and ".join(dict.fromkeys(map(_made, parts))) if all(one.in_files for one in parts) else own
            told.append((text, tuple(edit for one in edits for edit in one) if all(edits) else ()))
    hints = [Hint(f"{number}: {text}", edits) for number, (text, edits) in enumerate(told, 1)]
    return evolve(diagnostic, hints=(*hints, *others))


def _made(change: Relaxation) -> str:
    return f"`{as_made(change)}`{f', which changes {change.changes}' if change.changes else ''}"


def _edits(changes: Sequence[FileEdit], texts: Mapping[str, Source], files: Files) -> tuple[Edit, ...]:
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
            new = inserted(change.file, source.text, change.key, change.after, change.line, files.behind(change.key))
            edit = None if new is None else Edit(Span(source, new[0], new[0]), new[1])
        if edit is None:
            return ()
        found.append(edit)
    return tuple(found)
