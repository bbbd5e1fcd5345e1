"""Mistakes in names: undefined, defined twice or by themselves; missing files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from llmplan.diagnostics.record import Diagnostic, Edit, Hint, Label, error
from llmplan.diagnostics.spelling import closest, did_you_mean, listing
from llmplan.source import Span

# E0201: undefined


def unknown_name(
    span: Span,
    name: str,
    candidates: Iterable[str],
    siblings: tuple[str, list[str]] | None,
    enum: str = "",
    meant: Sequence[Hint] = (),
) -> Diagnostic:
    """E0201.

    Args:
        siblings: The kind that the name begins with, and its fields.
        enum: The enum that the name is a member of, if any.
        meant: What people mean by the word, if that is known.
    """
    if meant:
        return error("E0201", f"undefined name `{name}`", span, *meant)
    notes = [f"`{siblings[0]}` has {listing(siblings[1])}"] if siblings else []
    if enum:
        notes.append(f"`{name}` is a member of `{enum}`, valid only where one is expected")
    hints = () if enum else did_you_mean(span, name, candidates)
    return error("E0201", f"undefined name `{name}`", span, *hints, notes=notes)


def meant_open(span: Span) -> Diagnostic:
    """E0201: `auto` and the like, in place of `?`."""
    hint = Hint("write `?` for a value that is to be found", (Edit(span, "?"),))
    return error("E0201", f"undefined name `{span.text}`", span, hint)


def member_of_a_field(span: Span, kind: str, path: str) -> Diagnostic:
    """E0207: `adapter = lora`, where the word is a value of one of the fields."""
    return error("E0207", f"the catalog has no {kind} `{span.text}`", span, f"write `{path} = {span.text}`")


def nothing_to_set(span: Span, name: str, candidates: Iterable[str], meant: Sequence[Hint] = ()) -> Diagnostic:
    """E0201: `name = value` where no input has that name. `meant`: what people mean by it, if that is known."""
    hints = tuple(meant) or did_you_mean(span, name, candidates)
    if meant:
        return error("E0201", f"undefined name `{name}`", span, *hints)
    if "." not in name:
        edit = Edit(Span(span.source, span.start, span.start), "let ")
        hints += (Hint(f"to define a value of your own, write `let {name} = …`", (edit,)),)
    return error("E0201", f"undefined name `{name}`", span, *hints)


def unquoted(span: Span, what: str) -> Diagnostic:
    """E0201: bare words where quoted text is expected."""
    hint = Hint(f'write {what} in quotes: `"{span.text}"`', (Edit(span, f'"{span.text}"'),))
    return error("E0201", f"undefined name `{span.text}`", span, hint)


_PROBABILITY = frozenset(["probability", "prob", "pr", "likelihood"])


def undefined(span: Span, what: str, name: str, candidates: Iterable[str], meant: Sequence[Hint] = ()) -> Diagnostic:
    """E0201: a function, kind or requirement that nothing defines. `meant`: what people mean by it, if known."""
    if meant:
        return error("E0201", f"undefined {what} `{name}`", span, *meant)
    if what == "function" and name == "certain":
        hint = Hint("`certain` stands behind `require`, before the name of the requirement: `require certain NAME: …`")
        return error("E0201", f"undefined {what} `{name}`", span, hint)
    if what == "function" and name.lower() in _PROBABILITY:
        hint = Hint("did you mean `chance`?", (Edit(span, "chance"),))
        return error("E0201", f"undefined {what} `{name}`", span, hint)
    return error("E0201", f"undefined {what} `{name}`", span, *did_you_mean(span, name, candidates))


def unknown_decorator(span: Span, name: str, known: Collection[str]) -> Diagnostic:
    note = "decorators are " + ", ".join(f"`@{decorator}`" for decorator in known)
    return error("E0201", f"undefined decorator `@{name}`", span, *did_you_mean(span, name, known), notes=(note,))


def unknown_member(
    span: Span, name: str, enum: str, members: Collection[str], meant: Sequence[Hint] = ()
) -> Diagnostic:
    """E0201. `meant`: what people mean by the word, if that is known."""
    notes = (f"`{enum}` has {listing(members, 12)}",)
    hints = tuple(meant) or did_you_mean(span, name, members)
    return error("E0201", f"`{name}` is not a member of `{enum}`", span, *hints, notes=notes)


def no_member_but_itself(span: Span, enum: str, members: Collection[str]) -> Diagnostic:
    """E0201: `trainer = trainer`, a field that takes the member of an enum."""
    message = f"`{span.text}` is the field itself, not a member of `{enum}`"
    return error("E0201", message, span, Hint(f"write a member of `{enum}`: {listing(members, 12)}"))


def unknown_truth(span: Span, meant: str) -> Diagnostic:
    """E0201: `yes`."""
    return error("E0201", f"expected Bool, found `{span.text}`", span, Hint(f"write `{meant}`", (Edit(span, meant),)))


def unknown_target(span: Span, name: str, targets: Collection[str], meant: Sequence[str] = ()) -> Diagnostic:
    """E0201. `meant`: targets with the options that people mean by the word, if those are known."""
    hints = tuple(Hint(f"write `emit {text}`", (Edit(span, text),)) for text in meant)
    hints = hints or did_you_mean(span, name, targets)
    return error("E0201", f"undefined target `{name}`", span, *hints, notes=(f"targets are {listing(targets, 12)}",))


def no_reading(span: Span, name: str, readings: Collection[str]) -> Diagnostic:
    """E0214: a quantity that is not read of a run."""
    note = f"readings are {listing(readings, 12)}"
    return error("E0214", f"`{name}` cannot be read of a run", span, *did_you_mean(span, name, readings), notes=(note,))


def moves_nothing(span: Span, name: str, needs: Sequence[str], reading: str) -> Diagnostic:
    """W0621: a run whose reading cannot be computed, as inputs are missing or open, or that depends on no constant."""
    hint = Hint(f"say in the statement what the run had: `{needs[0]} = …`") if needs else None
    text = (
        f'`measured "{name}"` moves nothing: `{reading}` needs {listing(needs)}'
        if needs
        else (f'`measured "{name}"` moves nothing: the library has no value of `{reading}` for it')
    )
    return Diagnostic("W0621", "warning", text, span, hints=(hint,) if hint else ())


def not_measured(span: Span, name: str) -> Diagnostic:
    """W0621: a run of which nothing was read."""
    hint = Hint("give what was read: `step_time = 4.11 s`, `memory.reserved = 61.2 GiB`")
    return Diagnostic("W0621", "warning", f'`measured "{name}"` has no reading', span, hints=(hint,))


def unknown_scenario(name: str, scenarios: Collection[str]) -> Diagnostic:
    note = f"scenarios of the plan: {listing(scenarios)}" if scenarios else "the plan has no scenarios"
    hints = (Hint(f"did you mean `{near}`?") for near in closest(name, scenarios))
    return error("E0201", f"undefined scenario `{name}`", None, *hints, notes=(note,))


# E0202: not a field, not to be set


def unknown_field(
    span: Span,
    kind: str,
    name: str,
    fields: Collection[str],
    elsewhere: Sequence[str] = (),
    meant: Sequence[Hint] = (),
) -> Diagnostic:
    """E0202.

    Args:
        elsewhere: Other kinds that have a field of that name.
        meant: What people mean by the word, if that is known.
    """
    there = [
        Hint(f"`{name}` is a field of `{other}`: write `{other}.{name} = …` outside the block") for other in elsewhere
    ]
    longer = [field for field in fields if len(name) >= 3 and field.startswith(f"{name}_")]
    return error(
        "E0202",
        f"`{kind}` has no field `{name}`",
        span,
        *(meant or (did_you_mean(span, name, longer) if longer else there[:2] or did_you_mean(span, name, fields))),
        notes=(f"`{kind}` has {listing(fields, 12)}",),
    )


def set_computed(span: Span, name: str, value: str) -> Diagnostic:
    """E0202: a quantity given a value with `=`; nothing to advise for `?`, as it follows from the rest anyway."""
    if value.startswith("?"):
        hint = Hint(f"it follows from the inputs, which may be left open; `show {name}` prints it")
        return error("E0202", f"`{name}` is computed and cannot be set", span, hint)
    return error(
        "E0202",
        f"`{name}` is computed and cannot be set",
        span,
        f"to require this value, write `require {name} == {value}`",
        f"to override its formula, write `assume {name} = {value}`",
    )


def not_an_input(span: Span, name: str, candidates: Iterable[str], rule: Span | None = None) -> Diagnostic:
    """E0202: a scenario or `--set` names something that has no layer; `rule` is the requirement of that name."""
    if rule is not None:
        message = f"`{name}` is a requirement, which has no value to set"
        hint = (
            f"give its bound a name to set: `let {name}_limit = …`, and read it in the requirement; "
            f"or replace it: `-e 'require {name}: …'`"
        )
        return error("E0202", message, span, hint, others=(Label(rule, "required here"),))
    hints = did_you_mean(span, name, candidates)
    return error("E0202", f"`{name}` is not an input, `let` or assumption of this plan", span, *hints)


def not_assumable(span: Span, name: str) -> Diagnostic:
    return error("E0202", f"`{name}` is an input: set it, do not assume it", span, f"write `{name} = …`")


# E0203: defined twice


def defined_twice(span: Span, name: str, first: Span, hint: str = "") -> Diagnostic:
    """E0203."""
    others = (Label(first, "first definition"),)
    return error("E0203", f"`{name}` is defined twice", span, hint, label="second definition", others=others)


def taken(span: Span, name: str) -> Diagnostic:
    """E0203: a `let` with the name of a block."""
    return error("E0203", f"`{name}` is already the name of a block", span, "choose another name")


def member_twice(span: Span, name: str, enum: str) -> Diagnostic:
    """E0203: a further member of an enum that has it already."""
    return error("E0203", f"`{enum}` already has a member `{name}`", span, "choose another name, or leave it out")


def built_in(span: Span, name: str) -> Diagnostic:
    """E0203: a unit that the language itself defines."""
    return error("E0203", f"`{name}` is built in and cannot be declared", span, "choose another name")


def both_hold(span: Span, name: str, first: Span) -> Diagnostic:
    """E0203: two guarded formulas of a quantity whose conditions hold together."""
    others = (Label(first, "and this one"),)
    return error("E0203", f"two formulas of `{name}` apply at once", span, label="this one", others=others)


# E0206: definitions that need themselves


def circle(span: Span, name: str, chain: list[tuple[str, Span]]) -> Diagnostic:
    """E0206. `chain`: each name that is needed next, and where."""
    hint = "to solve for it, leave one of them open with `?` and `require` the equation"
    others = [Label(at, f"needs `{needs}`") for needs, at in chain[:6]]
    return error("E0206", f"`{name}` depends on itself", span, hint, others=others)


def calls_itself(span: Span, name: str, chain: Sequence[str]) -> Diagnostic:
    """E0206: a recursive function; the language has no loops.

    Args:
        chain: From the function through others back to it, if it does not call itself directly.
    """
    notes = ["functions are inlined before solving, so none may be recursive"]
    if chain:
        notes.insert(0, ", which calls ".join(f"`{function}`" for function in chain).replace(", which", "", 1))
    return error("E0206", f"`{name}` calls itself", span, notes=notes)


# E0207: files


def no_file(span: Span, path: str, why: str, hint: str = "") -> Diagnostic:
    """E0207."""
    return error("E0207", f"cannot use `{path}`: {why}", span, hint)


def use_circle(span: Span, path: str) -> Diagnostic:
    return error("E0207", f"`{path}` uses itself", span, label="closes the cycle")


def not_yet(span: Span) -> Diagnostic:
    """E0208: a statement of a later version, of which the language has the word alone."""
    hint = "plan each part of the run by itself, as a plan or a `scenario`, and add up their time and cost"
    notes = ("reserved by the language for a later version",)
    return error("E0208", f"`{span.text}` is not supported yet", span, hint, notes=notes)
