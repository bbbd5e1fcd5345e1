"""Plans that a command changes: `fmt` lays them out, `--fix` applies the edits of hints to which somebody agrees.

It writes only plans that the command line names and, for `solve --fix`, files inside the root that they use; each whole
or not at all.
"""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Iterable, Sequence

from llmplan.cli import terminal
from llmplan.diagnostics import Diagnostic, Edit, Hint
from llmplan.source import Source


def replace(path: str, text: str) -> None:
    """Replaces a file atomically, following a link, and keeps its mode.

    Raises:
        OSError: It cannot be written.
    """
    target = os.path.realpath(path)
    descriptor, fresh = tempfile.mkstemp(prefix=".llmplan-", dir=os.path.dirname(target))
    try:
        with open(descriptor, "wb") as file:
            file.write(text.encode())
        os.chmod(fresh, os.stat(target).st_mode & 0o7777)
        os.replace(fresh, target)
    except BaseException:
        os.unlink(fresh)
        raise


def create(path: str, text: str) -> None:
    """Writes a file that is not there yet, whole or not at all.

    Raises:
        FileExistsError: It is there.
        OSError: It cannot be written.
    """
    descriptor, fresh = tempfile.mkstemp(prefix=".llmplan-", dir=os.path.dirname(path) or ".")
    try:
        with open(descriptor, "wb") as file:
            file.write(text.encode())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(fresh, 0o666 & ~mask)
        os.link(fresh, path)  # unlike a rename, it takes no other file's place
    finally:
        os.unlink(fresh)


def difference(name: str, before: str, after: str, renamed: str = "") -> str:
    """How a text changes, as a unified diff."""
    texts = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = difflib.unified_diff(*texts, name, renamed or name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def agreed(change: str, yes: bool, quiet: bool = False) -> bool:
    """Shows a diff, and whether it is to be applied: with `--yes`, or after a yes on the terminal.

    Args:
        quiet: Whether standard output is for a document, so that the diff goes to standard error.
    """
    if quiet:
        terminal.complain(change.rstrip("\n"))
    else:
        terminal.result(change)
    if not yes and not terminal.asks():
        terminal.complain("nothing is changed, as nobody at a terminal can be asked: give --yes to apply it")
        return False
    return yes or terminal.confirmed("apply? [y/N] ")


def applicable(diagnostics: Iterable[Diagnostic], name: str) -> list[Hint]:
    """Of each diagnostic the first hint that can be applied to the plan of a name, but none that touches an earlier
    one.
    """
    found: list[Hint] = []
    for diagnostic in diagnostics:
        hint = next((hint for hint in diagnostic.hints if applies(hint, name)), None)
        if hint is not None and not any(
            _touch(one, other) for before in found for one in before.edits for other in hint.edits
        ):
            found.append(hint)
    return found


def changes(diagnostics: Iterable[Diagnostic]) -> list[Hint]:
    """The numbered changes suggested for an infeasible plan, in the order shown: each makes everything hold."""
    hints = [hint for one in diagnostics if one.severity == "error" for hint in one.hints]
    return [hint for hint in hints if hint.text.partition(": ")[0].isdecimal()]


def applies(hint: Hint, name: str) -> bool:
    """Whether a hint consists of edits of one plan alone, and is not one of several meanings."""
    return bool(hint.edits) and not hint.choice and all(edit.span.source.name == name for edit in hint.edits)


def files(hint: Hint) -> dict[str, Source]:
    """The texts that a hint edits, by name; none if it has no edits, or one of what is no file of the plan's."""
    found = {edit.span.source.name: edit.span.source for edit in hint.edits}
    return {} if any(source.library or name.startswith(("-", "<")) for name, source in found.items()) else found


def edited(text: str, hints: Sequence[Hint], name: str = "") -> str:
    """The text with the edits of hints that do not touch one another; with a name only those of the text that is called
    so.
    """
    every = (edit for hint in hints for edit in hint.edits if name in ("", edit.span.source.name))
    edits = sorted(every, key=lambda edit: edit.span.start, reverse=True)
    for edit in edits:
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def _touch(one: Edit, other: Edit) -> bool:
    return one.span.start <= other.span.end and other.span.start <= one.span.end
