"""E05xx: what can go wrong between a solution and the files on disk."""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic, Hint, error
from llmplan.source import Span

_MISSING_HINTS = 4


def missing_value(
    target: str, name: str, place: str, needs: tuple[str, ...], reason: str, span: Span | None
) -> Diagnostic:
    """A template reads a value that the plan does not have.

    Args:
        place: `templates/deepspeed/ds_config.json.j2:9`.
        needs: The inputs that are missing, if that is why.
        reason: Why it has no value otherwise, or empty.
    """
    notes = [f"read by {place}"]
    if reason:
        notes.append(f"`{name}`: {reason}")
    elif needs:
        notes.append(f"`{name}` needs {', '.join(f'`{need}`' for need in needs)}")
    hints = tuple(Hint(f"set `{need}`") for need in needs[:_MISSING_HINTS]) or (f"set `{name}`",)
    return error("E0501", f"`emit {target}` needs `{name}`", span, *hints, notes=notes)


def stale(file: str, what: str, diff: str, causes: tuple[str, ...]) -> Diagnostic:
    """A generated file differs from the plan. `what`: `is missing`, `is out of date with …`."""
    hint = Hint("run the same command without `--check`")  # with its `-o`, `--set` and `--scenario`
    return error("E0502", f"{file} {what}", None, hint, notes=(diff, *causes))


def not_ours(file: str, what: str, diff: str) -> Diagnostic:
    """A file in the way that llmplan did not write, or that was changed since."""
    hint = "change the plan instead, write elsewhere with `-o`, or overwrite it with `--force`"
    return error("E0503", f"{file} {what}", None, hint, notes=(diff,))


def not_expressible(target: str, message: str, hint: str, place: str, span: Span | None) -> Diagnostic:
    """A target has no way to say what the plan says."""
    message = f"`emit {target}` cannot express this plan: {message}"
    return error("E0504", message, span, hint, notes=(f"refused by {place}",))


def cannot_write(file: str, why: str) -> Diagnostic:
    """The operating system refuses; nothing was changed."""
    return error("E0505", f"cannot write {file}: {why}", notes=("no file of this plan was changed",))


def broken_template(place: str, why: str) -> Diagnostic:
    """A template or a manifest is itself wrong."""
    return error("E0506", f"cannot use {place}: {why}")
