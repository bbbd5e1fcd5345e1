"""E05xx: what can go wrong between a solution and the files on disk."""

from __future__ import annotations

from llmplan.diagnostics.record import Diagnostic, Hint
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
    notes = [f"{place} reads it"]
    if reason:
        notes.append(f"`{name}`: {reason}")
    elif needs:
        notes.append(f"`{name}` needs {', '.join(f'`{need}`' for need in needs)}")
    hints = tuple(Hint(f"give `{need}`") for need in needs[:_MISSING_HINTS]) or (Hint(f"give `{name}`"),)
    return Diagnostic("E0501", "error", f"`emit {target}` needs `{name}`", span, notes=tuple(notes), hints=hints)


def stale(file: str, what: str, diff: str, causes: tuple[str, ...]) -> Diagnostic:
    """A generated file is not what the plan says. `what`: `is missing`, `is not what … says`."""
    notes = ((diff,) if diff else ()) + causes
    hint = Hint("run the same command without `--check`")  # with its `-o`, `--set` and `--scenario`
    return Diagnostic("E0502", "error", f"{file} {what}", notes=notes, hints=(hint,))


def not_ours(file: str, what: str, diff: str) -> Diagnostic:
    """A file in the way that llmplan did not write, or that was changed since."""
    hint = Hint("set it in the plan, write somewhere else with `-o`, or overwrite it with `--force`")
    return Diagnostic("E0503", "error", f"{file} {what}", notes=(diff,) if diff else (), hints=(hint,))


def not_expressible(target: str, message: str, hint: str, place: str, span: Span | None) -> Diagnostic:
    """A target has no way to say what the plan says."""
    return Diagnostic(
        "E0504",
        "error",
        f"`emit {target}` cannot express this plan: {message}",
        span,
        notes=(f"refused by {place}",),
        hints=(Hint(hint),) if hint else (),
    )


def cannot_write(file: str, why: str) -> Diagnostic:
    """The operating system refuses; nothing was changed."""
    return Diagnostic(
        "E0505", "error", f"cannot write {file}: {why}", notes=("no file of this plan was changed",)
    )


def broken_template(place: str, why: str) -> Diagnostic:
    """A template or a manifest is itself wrong."""
    return Diagnostic("E0506", "error", f"{place} is not usable: {why}")
