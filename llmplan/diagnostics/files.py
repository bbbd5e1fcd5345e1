"""E05xx: what can go wrong between a solution and the files on disk."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from llmplan.diagnostics.record import Diagnostic, Edit, Hint, error, warning
from llmplan.diagnostics.spelling import closest, did_you_mean
from llmplan.escape import visible_line
from llmplan.source import Span

_MISSING_HINTS = 4
_LONGEST = 120


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


def missing_option(target: str, option: str, about: str, span: Span | None) -> Diagnostic:
    """E0501: an option that a target cannot do without."""
    notes = (f"`{target}.{option}`: {' '.join(about.split()).removesuffix('.')}",) if about else ()
    hint = Hint(f"give it: `emit {target} {{ {option} = … }}`")
    return error("E0501", f"`emit {target}` needs `{target}.{option}`", span, hint, notes=notes)


def not_said(path: str, text: str, targets: Sequence[str]) -> Diagnostic:
    """W0617: an input that the plan chooses and that nothing tells the training software."""
    written = ", ".join(f"`{target}`" for target in targets)
    hint = Hint('set it in the training script, or add it to the target\'s template as `value("…")`')
    message = f"`{path} = {text}` is not in any emitted file"
    return warning("W0617", message, None, hint, notes=(f"emitted files: {written}",))


def unread_option(target: str, option: str, span: Span) -> Diagnostic:
    """E0514: an option of a target that reaches no file."""
    hint = Hint(f'write it to a file, as `option("{option}")` in a template of `{target}`, or remove the field')
    return error("E0514", f"no template reads the option `{target}.{option}`", span, hint)


def stale(
    folder: str,
    plan: str,
    groups: Mapping[str, Sequence[str]],
    causes: Sequence[str],
    results: Sequence[str],
    lines: str = "",
) -> Diagnostic:
    """The generated files in a folder that differ from the plan.

    Args:
        groups: The files by their state, such as `missing`; under an empty text those with another content.
        causes: The inputs and the answers that differ, each with its old and new value.
        results: The results that differ, each with its change.
        lines: Changed lines of a file, where there are no causes.
    """
    listed = [f"{', '.join(names)} {what}".rstrip() for what, names in groups.items() if names]
    notes = [f"changed: {'; '.join(causes)}"] if causes else []
    notes += [f"since the last compile: {', '.join(results)}"] if results else []
    notes += [lines] if lines else []
    hint = Hint("run the same command without `--check`")  # with its `-o`, `--set` and `--scenario`
    return error("E0502", f"{folder} is out of date with {plan}: {'; '.join(listed)}", None, hint, notes=notes)


def not_ours(file: str, what: str, diff: str) -> Diagnostic:
    """A file in the way that llmplan did not write, or that was changed since."""
    hint = "change the plan instead, write elsewhere with `-o`, or overwrite it with `--force`"
    return error("E0503", f"{file} {what}", None, hint, notes=(diff,))


def in_the_way(file: str, what: str) -> Diagnostic:
    """The path of a file is taken by something that is not a file and cannot be overwritten."""
    return error("E0503", f"{file} {what}", None, "move it away, or write elsewhere with `-o`")


def edited_but_obsolete(file: str) -> Diagnostic:
    """An edited file that the plan no longer emits."""
    hint = "keep the edit elsewhere and remove the file; `--force` leaves it as it is"
    return error("E0503", f"{file} is no longer emitted, and was edited after it was generated", None, hint)


def not_expressible(target: str, message: str, hint: str, place: str, span: Span | None) -> Diagnostic:
    """A target cannot express the plan."""
    message = f"`emit {target}` cannot express this plan: {message}"
    return error("E0504", message, span, hint, notes=(f"refused by {place}",))


def cannot_write(file: str, why: str) -> Diagnostic:
    """The operating system refuses; nothing was changed."""
    return error("E0505", f"cannot write {file}: {why}", notes=("no file of this plan was changed",))


def cannot_read(file: str, why: str) -> Diagnostic:
    """The operating system does not let an output folder be compared with its plan."""
    return error("E0505", f"cannot read {file}: {why}")


def not_restored(folder: str, why: str, kept: dict[str, str]) -> Diagnostic:
    """Writing failed, and so did putting the old files back.

    Args:
        kept: By file, where its old content is.
    """
    notes = [
        f"{file} was replaced; its old content is in {place} until the next `compile`" for file, place in kept.items()
    ]
    return error("E0505", f"cannot write into {folder}: {why}", notes=notes)


def not_into(span: Span | None, name: str, why: str, hint: str = "", better: str = "") -> Diagnostic:
    """A plan names a folder that it must not write to.

    Args:
        span: The text after `into`; None if the plan has none.
        hint: What to do; by default to name another folder.
        better: The path that was meant, if that is known.
    """
    shown = span.text.strip('"') if span is not None else name
    if not hint:
        other = "name a folder inside the project, or leave out `into` and " if span is not None else ""
        hint = f"{other}name the folder on the command line with `-o`"
    edits = (Edit(span, f'"{better}"'),) if span is not None and better else ()
    return error("E0508", f"cannot write into `{_visible(shown)}`: {why}", span, Hint(hint, edits))


def of_another_plan(span: Span | None, folder: str, owner: str, better: str) -> Diagnostic:
    """The output folder holds the files of another plan.

    Args:
        span: The text after `into` that names the folder, None if it was named otherwise.
        better: A folder of its own for this plan.
    """
    if span is not None:
        own = Hint(f'give this plan a folder of its own: `into "{better}"`', (Edit(span, f'"{better}"'),))
    else:
        own = Hint("give this plan a folder of its own with `-o`")
    freed = Hint(f"if that plan no longer writes there, remove {folder} first")
    message = f"{folder} already holds the output of {_visible(owner)}; each plan needs its own folder"
    return error("E0509", message, span, own, freed)


def _visible(text: str) -> str:
    """Foreign text on one line, with every character visible."""
    shown = visible_line(text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


TEMPLATE_TOO_LARGE = "a value or a file of it is too large"
TEMPLATE_TOO_LONG = "it takes too long"
TEMPLATE_TOO_DEEP = "it is nested too deeply, or calls itself without end"
MANIFEST_TOO_DEEP = "its JSON is nested too deeply"


def broken_template(place: str, why: str, span: Span | None = None) -> Diagnostic:
    """A template or a manifest is itself wrong."""
    return error("E0506", f"cannot use {place}: {why}", span)


def unknown_value(place: str, name: str, known: Collection[str]) -> Diagnostic:
    """E0506: a template reads a name that neither the plan nor the library has."""
    near = closest(name.rpartition(".")[2], [path for path in known if path.startswith(f"{name.partition('.')[0]}.")])
    near = near or closest(name, known)
    hints = [f"did you mean `{near[0]}`?"] if near else []
    return error("E0506", f"cannot use {place}: there is no `{name}`", None, *hints)


def undeclared_option(place: str, target: str, span: Span, options: Collection[str], declared: str) -> Diagnostic:
    """E0506: a template reads an option that its target lacks; `declared` is the file that would declare it."""
    hints = did_you_mean(span, span.text, options) or (Hint(f"declare it in {declared}: `kind {target} {{ … }}`"),)
    return error("E0506", f"cannot use {place}: `{target}` has no option `{span.text}`", span, *hints)


def ignored(folder: str, file: str, line: str) -> Diagnostic:
    """W0619: files written where the repository does not see them."""
    return Diagnostic(
        "W0619",
        "note",
        f"Git ignores `{folder}`: `{line}` in `{file}`",
        None,
        hints=(
            Hint('`git add` leaves the files out; write them elsewhere, as in `emit deepspeed into "runs/7b"`'),
            Hint(f"or add `!{folder}/` below that line"),
        ),
    )


def unmarked(lines: Sequence[str]) -> Diagnostic:
    """W0616: generated files that the repository does not mark as such."""
    wanted = " and ".join(f"`{line}`" for line in lines)
    hint = Hint(f"add {wanted} to `.gitattributes`, so that code hosts fold them in a diff")
    return Diagnostic("W0616", "note", "generated pictures are not marked in `.gitattributes`", None, hints=(hint,))
