"""E0510 to E0513, E0519, W0606, W0623, W0636, W0637, W0646: files of other software that contradict each other or
fail, that cannot be read as one plan, or that say more than one."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.diagnostics.record import Diagnostic, Hint, Label, error, warning
from llmplan.escape import visible, visible_line
from llmplan.source import Span

_MOST = 20
_A_MODEL = "llama-3.1-8b"
_LISTED = 4


def contradiction(what: str, first: tuple[str, Span], second: tuple[str, Span]) -> Diagnostic:
    """E0510: two places say different things of an input, each a value and where it stands."""
    message = f"the files contradict each other on `{what}`: {visible_line(first[0])} and {visible_line(second[0])}"
    others = [Label(second[1], f"here it is {visible_line(second[0])}")]
    hint = "make them agree, or decide with `--set`"
    return error("E0510", message, first[1], hint, label=f"here it is {visible_line(first[0])}", others=others)


def impossible(why: str, places: Sequence[Span]) -> Diagnostic:
    """E0510: values that the software refuses together."""
    others = [Label(place, "with this") for place in places[1:]]
    return error("E0510", why, places[0] if places else None, "correct one of them", others=others)


def doubted(why: str, places: Sequence[Span]) -> Diagnostic:
    """W0606: values that software is known to fail with together."""
    others = [Label(place, "with this") for place in places[1:]]
    return warning("W0606", why, places[0] if places else None, others=others)


def not_planned(key: str, why: str, place: Span | None, refused: bool = True) -> Diagnostic:
    """E0511: a key whose run no plan can say; a warning where its other keys are read all the same."""
    make = error if refused else warning
    return make("E0511", f"`{visible_line(key)}`: {why}", place)


def not_given(file: str, by: str, place: Span | None, refused: bool) -> Diagnostic:
    """E0519: a file that the files name and that was not given.

    Args:
        by: The key that names it; empty where a script starts it.
        refused: Whether an answer without it would be about another run.
    """
    name = visible_line(file)
    message = f"`{visible_line(by)}` names `{name}`" if by else f"the script `{name}` is run here"
    message += ", which was not given" if by else ", and was not given"
    hint = "give it beside the other files"
    if refused:
        return error("E0519", message, place, f"{hint}, or `--set parallelism.zero_stage=3` if that is what it says")
    return warning("E0519", f"{message}: what it says is not read", place, hint)


def left_out(changing: Sequence[tuple[str, str, str]], unknown: Sequence[tuple[str, str]]) -> Diagnostic:
    """W0623 as a note: keys that change what a run needs, or that may, and that a verdict does not count.

    Args:
        changing: Keys that no plan says, each with its place and why.
        unknown: Those that are not understood, each with its place.
    """
    notes = [f"{visible_line(place)} `{visible_line(key)}`: {why}" for key, place, why in changing[:_LISTED]]
    notes += [f"{visible_line(place)} `{visible_line(key)}`: not understood" for key, place in unknown[:_LISTED]]
    more = max(0, len(changing) - _LISTED) + max(0, len(unknown) - _LISTED)
    if more:
        notes.append(f"and {more} more: `llmplan import` lists what became of every key")
    many = len(changing) + len(unknown)
    message = f"the answer does not count {many} key{'s' * (many > 1)} of the files"
    return Diagnostic("W0623", "note", message, None, notes=tuple(notes))


def not_written(keys: Sequence[str]) -> Diagnostic:
    """W0636 as a note: keys of the files that are in none of those that were written."""
    listed = ", ".join(map(visible_line, keys[:_MOST]))
    more = f" and {len(keys) - _MOST} more" if len(keys) > _MOST else ""
    many = len(keys) > 1
    message = (
        f"{len(keys)} key{'s' * many} of the files {'are' if many else 'is'} not in what was written: {listed}{more}"
    )
    hint = "carry over what the run needs, or change your own files instead: `llmplan solve … --fix`"
    return Diagnostic("W0636", "note", message, None, hints=(Hint(hint),))


def written_otherwise(keys: Sequence[tuple[str, str, str]]) -> Diagnostic:
    """W0646: keys of the files that have another value in what was written, each with both values."""
    listed = ", ".join(
        f"{visible_line(key)} {visible_line(was)} → {visible_line(now)}" for key, was, now in keys[:_MOST]
    )
    more = f" and {len(keys) - _MOST} more" if len(keys) > _MOST else ""
    has = "keys of the files have" if len(keys) > 1 else "key of the files has"
    message = f"{len(keys)} {has} another value in what was written: {listed}{more}"
    hint = "correct what was written, or change your own files instead: `llmplan solve … --fix`"
    return warning("W0646", message, None, hint)


def nothing_written() -> Diagnostic:
    """W0637 as a note: files of other software from which nothing that starts the run was written."""
    message = "a report was written, and nothing that starts the run: the files do not say all that it needs"
    return Diagnostic(
        "W0637", "note", message, None, hints=(Hint("`llmplan import` names what is missing below the plan"),)
    )


def no_model(name: str | None) -> Diagnostic:
    """E0401: configurations without a model, or with one that the catalog does not have."""
    message = "no file says the model" if name is None else f"the catalog has no model `{visible_line(name)}`"
    return error(
        "E0401",
        message,
        None,
        f"give the model's config.json beside the other files, or its name: `--set model={_A_MODEL}`",
    )


def no_card() -> Diagnostic:
    """E0401: configurations that do not name the GPU."""
    return error("E0401", "no file says the GPU", None, "name it: `--gpu H100` (`llmplan catalog gpus` lists them)")


def no_count() -> Diagnostic:
    """E0401: configurations that do not say how many GPUs there are."""
    return error("E0401", "no file says the number of GPUs", None, "give it: `--gpus 8`")


def no_size(path: str) -> Diagnostic:
    """E0401: configurations that spell out a model without one of its sizes, as the vocabulary of a tokenizer."""
    hint = f"give it: `--set {path}=N`" + (", as its tokenizer has it" if path == "model.vocab" else "")
    return error("E0401", f"no file says `{path}`", None, hint)


def no_length() -> Diagnostic:
    """E0401: configurations that do not say how long sequences are."""
    hint = "give it: `--set dataset.sequence_length=4096`"
    return error("E0401", "no file says how many tokens a sequence has", None, hint)


def no_request(path: str) -> Diagnostic:
    """E0401: configurations of a server, which never say how long its prompts and answers are."""
    return error("E0401", f"no file says `{path}`, which a server is judged by", None, f"give it: `--set {path}=1000`")


def unreadable(file: str, why: str, place: Span | None) -> Diagnostic:
    """E0512: a text that is not of the syntax that it begins like."""
    return error("E0512", f"cannot read `{visible_line(file)}`: {visible(why)}", place)


def unrecognised(file: str, keys: Sequence[str], place: Span | None, formats: Sequence[str]) -> Diagnostic:
    """E0512: no format has the keys of a file."""
    shown = ", ".join(f"`{visible_line(key)}`" for key in keys[:4])
    notes = [f"its keys begin with {shown}"] if shown else []
    notes.append(f"files of these are read: {', '.join(formats)}")
    hint = Hint("give the file that names the model, the batch or the parallelism")
    return error("E0512", f"cannot tell what `{visible_line(file)}` configures", place, hint, notes=notes)


def assigned(file: str, names: Sequence[str], place: Span | None, refused: bool) -> Diagnostic:
    """E0512: a program that sets what a plan would say, in statements that are not read; a warning where the rest is
    read all the same."""
    make = error if refused else warning
    shown = ", ".join(f"`{visible_line(name)}`" for name in names[:_LISTED])
    message = f"`{visible_line(file)}` sets {shown} in statements of its own, which are not read"
    return make("E0512", message, place, "leave it out and say them by `--set`, or give a configuration that has them")


def ambiguous(file: str, formats: Sequence[str], place: Span | None) -> Diagnostic:
    """E0512: two formats have the keys of a file."""
    return error("E0512", f"`{visible_line(file)}` could be of {' or of '.join(formats)}", place)


def nothing_to_read(files: Sequence[str]) -> Diagnostic:
    """E0512: scripts that start no training and write no configuration."""
    names = ", ".join(f"`{visible_line(file)}`" for file in files)
    hint = "give the script that starts the training, or its configuration"
    return error("E0512", f"there is no configuration and no launch in {names}", None, hint)


def several_runs(launches: Sequence[tuple[str, str]], place: Span | None, refused: bool) -> Diagnostic:
    """E0513: the files start several trainings.

    Args:
        launches: Each with its place and its command.
        refused: Whether nothing can be done without choosing one; else what they have in common is taken.
    """
    notes = [f"{number}: {visible_line(text)} ({where})" for number, (where, text) in enumerate(launches[:_MOST], 1)]
    if len(launches) > _MOST:
        notes.append("…")
    many = f"the files start {len(launches)} trainings"
    if refused:
        return error("E0513", many, place, "choose one: `--run N`", notes=notes)
    hint = "read one of them: `--run N`"
    return warning("E0513", f"{many}: the plan has what they have in common", place, hint, notes=notes)


def no_such_run(number: int, many: int) -> Diagnostic:
    """E0513: `--run N` of fewer launches."""
    return error("E0513", f"there is no run {number}: the files start {many}", None, "leave `--run` out")
