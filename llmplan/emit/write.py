"""Files into their folder, all or none; and, for `--check`, the files that are out of date there.

`solution.json` in the folder says what llmplan wrote there last. A file that differs from it belongs to somebody: it is
never overwritten unless forced, and never removed. A symbolic link is such a file too: it would be replaced, never
followed. Anything that is not a file is left alone in any case.
"""

from __future__ import annotations

import json
from pathlib import Path

from attrs import evolve, frozen

from llmplan.answer.schema.solution import Solution
from llmplan.diagnostics import Diagnostic, files
from llmplan.emit import changes
from llmplan.emit.exclusive import held, shared
from llmplan.emit.folder import Folder
from llmplan.emit.inspect_path import FILE, LINK, Found, look
from llmplan.emit.leftovers import file_of, leftovers
from llmplan.emit.lock import Lock, is_current, read_lock
from llmplan.emit.replace import NotRestored, replace
from llmplan.emit.solution_json import NAME, encode
from llmplan.emit.targets import plain_name
from llmplan.present import summary
from llmplan.present.blocks import bare
from llmplan.present.words import words_of


@frozen
class Outcome:
    """The result of a write.

    Attributes:
        problems: E0503 for files in the way, E0505 where the operating system refuses, E0509 for another plan's folder.
        removed: Files that an earlier run wrote and this one does not.
        left: Files that `solution.json` named and that stay, with the reason.
    """

    problems: tuple[Diagnostic, ...] = ()
    removed: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


def write(folder: Folder, contents: dict[str, str], force: bool = False) -> Outcome:
    """Put the files in place. With any error nothing in the folder has changed.

    Args:
        contents: By plain file name, from `render`. One that begins with `#!` becomes executable.
        force: Overwrite files that were edited or that llmplan did not write.
    """
    try:
        with held(folder.path) as alone:
            return _write(folder, contents, force, alone)
    except OSError as error:
        named = _named(error, folder)
        return Outcome((files.cannot_write(named, error.strerror or str(error)),))
    except NotRestored as failed:
        kept = {f"{folder.shown}/{file}": f"{folder.shown}/{path.name}" for file, path in failed.kept.items()}
        return Outcome((files.not_restored(folder.shown, str(failed), kept),))


def _write(folder: Folder, contents: dict[str, str], force: bool, alone: bool) -> Outcome:
    lock = read_lock(folder.path)
    refused = folder.refused(_plan(contents), lock)
    if refused is not None:
        return Outcome((refused,))
    obsolete, left = _obsolete(folder, contents, lock)
    problems = _in_the_way(folder, contents, lock, force)
    if not force:
        problems += [files.edited_but_obsolete(f"{folder.shown}/{file}") for file, why in left if why == _EDITED]
    if problems:
        return Outcome(tuple(problems))
    wanted = {file: encode(text) for file, text in contents.items() if not look(folder.path / file).has(text)}
    stale = leftovers(folder.path, folder.names | set(contents)) if alone else []
    replace(folder.path, wanted, obsolete, stale)
    return Outcome((), tuple(obsolete), tuple(left))


@frozen
class Compared:
    """A folder beside the files that a `write` would put into it.

    Attributes:
        problems: E0502 for all stale, missing and obsolete files together, E0503, E0509.
        current: Files in the folder as they would be written.
        outdated: Files in the folder that are not of this solution.
        missing: Files of this solution that the folder lacks.
    """

    problems: tuple[Diagnostic, ...] = ()
    current: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def check(folder: Folder, contents: dict[str, str], solution: Solution) -> Compared:
    """The changes and refusals of a `write`.

    A `solution.json` that differs in nothing but the versions is current. The files of a plan that has become
    infeasible are of an answer that it no longer has: they are named, and none is a problem, since people decide which
    of them to keep.
    """
    try:
        with shared(folder.path):
            return _check(folder, contents, solution)
    except OSError as error:
        return Compared((files.cannot_read(_named(error, folder), error.strerror or str(error)),))


def _check(folder: Folder, contents: dict[str, str], solution: Solution) -> Compared:
    lock = read_lock(folder.path)
    refused = folder.refused(_plan(contents), lock)
    if refused is not None:
        return Compared((refused,))
    current: list[str] = []
    missing: list[str] = []
    stale: list[str] = []
    foreign: dict[str, Diagnostic] = {}
    for file, text in contents.items():
        seen = look(folder.path / file)
        old = seen.text
        if not seen.kind:
            missing.append(file)
        elif seen.has(text) or (file == NAME and old is not None and is_current(old, text)):
            current.append(file)
        elif old is None or not lock.matches(file, old):
            foreign[file] = _foreign(folder, file, seen, text, lock)
        else:
            stale.append(file)
    obsolete, left = _obsolete(folder, contents, lock)
    compared = Compared((), tuple(current), (*stale, *obsolete), tuple(missing))
    if solution.status == "infeasible":
        return evolve(compared, outdated=(*(file for file in contents if file in (*stale, *foreign)), *obsolete))
    edited = [files.edited_but_obsolete(f"{folder.shown}/{file}") for file, why in left if why == _EDITED]
    problems = (*foreign.values(), *edited)
    if not stale and not missing and not obsolete:
        return evolve(compared, problems=problems)
    words = words_of()
    causes = summary.causes(changes.causes(lock, solution) if NAME in contents else (), words)
    moved = [bare(words.result_moved(one, short=True)) for one in changes.results(lock, solution)]
    lines = "" if causes else _difference(folder, {file: contents[file] for file in stale})
    groups = {"": stale, "missing": missing, "no longer emitted": obsolete}
    told = files.stale(folder.shown, solution.plan, groups, causes, moved, lines)
    return evolve(compared, problems=(told, *problems))


def _difference(folder: Folder, stale: dict[str, str]) -> str:
    """The changed lines of the first file that people read, where no value says what changed; empty without any."""
    for file, text in stale.items():
        if file != NAME and not file.endswith(_PICTURE):
            return f"{file}:\n{changes.diff(look(folder.path / file).text or '', text)}"
    return ""


def _plan(contents: dict[str, str]) -> str:
    """The name of the plan in `solution.json`."""
    return str(json.loads(contents[NAME])["plan"])


_PICTURE = ".svg"

_EDITED = "it was edited after it was generated"


def _obsolete(folder: Folder, contents: dict[str, str], lock: Lock) -> tuple[list[str], list[tuple[str, str]]]:
    """Files that an earlier run wrote and this one does not, to be removed; and those that stay, each with why.

    The list comes from a file that anybody may edit: it removes nothing that a target does not write, nor anything
    that has another content than was written.
    """
    remove, left = [], []
    for file in lock.files:
        if file in contents or not plain_name(file) or not file.isprintable():
            continue
        found = look(folder.path / file)
        if not found.kind:
            continue
        if file not in folder.names:
            left.append((file, "no target writes a file of that name"))
        elif not lock.intact:
            left.append((file, f"{NAME}, which names it, was edited"))
        elif found.kind != FILE or found.text is None or not lock.matches(file, found.text):
            left.append((file, _EDITED))
        else:
            remove.append(file)
    return remove, left


def _in_the_way(folder: Folder, contents: dict[str, str], lock: Lock, force: bool) -> list[Diagnostic]:
    problems = []
    for file, text in contents.items():
        found = look(folder.path / file)
        ours = not found.kind or found.has(text) or (found.text is not None and lock.matches(file, found.text))
        if ours or (force and found.kind in (FILE, LINK)):
            continue
        problems.append(_foreign(folder, file, found, text, lock))
    return problems


def _foreign(folder: Folder, file: str, found: Found, text: str, lock: Lock) -> Diagnostic:
    """E0503 for something in the place of a file that is not what llmplan wrote there."""
    name = f"{folder.shown}/{file}"
    if found.kind == LINK:
        return files.not_ours(name, found.kind, "")
    if found.kind != FILE:
        return files.in_the_way(name, found.kind)
    if not lock.wrote(file):
        return files.not_ours(name, "was not written by llmplan", "")
    return files.not_ours(name, "was edited after it was generated", changes.diff(found.text or "", text))


def _named(error: OSError, folder: Folder) -> str:
    """The file of an error as people know it: without the marks of a temporary one."""
    path = Path(error.filename) if isinstance(error.filename, str) and error.filename else folder.path
    if path == folder.path:
        return folder.shown
    return f"{folder.shown}/{file_of(path.name) or path.name}" if path.parent == folder.path else str(path)
