"""Mistakes in names: nothing is called so, something is called so twice, a file or entry is missing."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from llmplan.diagnostics.magnitudes import attached
from llmplan.diagnostics.record import Diagnostic, Edit, Hint, Label
from llmplan.source import Span

_NEAR = 10  # so many spellings are compared letter by letter


def closest(word: str, candidates: Iterable[str], count: int = 1) -> list[str]:
    """The candidates most like a misspelt word; else those that hold it, share a word with it or begin its letters."""
    known = {candidate.lower(): candidate for candidate in candidates}
    low = word.lower()
    found = difflib.get_close_matches(low, known, n=_NEAR, cutoff=0.6)
    if not found and len(word) >= 3:
        found = [name for name in known if low in name]
    if not found:
        parts = {part.rstrip("s") for part in re.split(r"[_.]", low) if len(part) >= 3}
        found = [name for name in known if parts & {part.rstrip("s") for part in re.split(r"[_.]", name)}]
    if not found and len(word) > 1:
        found = [name for name in known if "".join(part[:1] for part in name.split("_")) == low]
    found.sort(key=lambda name: (_edits(low, name), abs(len(name) - len(low))))
    return [known[name] for name in found[:count]]


def _edits(a: str, b: str) -> int:
    """How many letters are to be changed, left out, put in or swapped with the next."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, above, row = row, before, [i]
        for j, y in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, above[j - 2] + 1)
            row.append(best)
    return row[-1]


def _by_last_word(name: str, candidates: Iterable[str]) -> list[str]:
    """Dotted names whose last word is the one that was written: `hardware.gpus` for `gpus`."""
    last = name.rpartition(".")[2].lower()
    return [candidate for candidate in candidates if candidate.lower().rpartition(".")[2] == last]


def _did_you_mean(span: Span, word: str, candidates: Iterable[str]) -> tuple[Hint, ...]:
    candidates = list(candidates)
    near = _by_last_word(word, candidates)[:1] or closest(word, candidates)
    return tuple(Hint(f"did you mean `{name}`?", (Edit(span, name),)) for name in near)


def _listing(names: list[str], limit: int = 8) -> str:
    shown = ", ".join(names[:limit])
    return shown + (" …" if len(names) > limit else "")


def unknown_name(
    span: Span, name: str, candidates: Iterable[str], siblings: tuple[str, list[str]] | None, enum: str = ""
) -> Diagnostic:
    """E0201.

    Args:
        siblings: The kind that the name begins with, and its fields.
        enum: The enum that the name is a member of, if it is one.
    """
    notes: tuple[str, ...] = (f"`{siblings[0]}` has {_listing(siblings[1])}",) if siblings else ()
    if enum:
        notes += (f"`{name}` is a member of `{enum}`, and stands only where one is expected",)
        return Diagnostic("E0201", "error", f"nothing is called `{name}` here", span, notes=notes)
    hints = _did_you_mean(span, name, candidates)
    return Diagnostic("E0201", "error", f"nothing is called `{name}`", span, notes=notes, hints=hints)


def nothing_to_set(span: Span, name: str, candidates: Iterable[str]) -> Diagnostic:
    """E0201: `name = value` where no input is called so."""
    hints = _did_you_mean(span, name, candidates)
    if "." not in name:
        edit = Edit(Span(span.source, span.start, span.start), "let ")
        hints += (Hint(f"a value of your own is named with `let {name} = …`", (edit,)),)
    return Diagnostic("E0201", "error", f"nothing is called `{name}`", span, hints=hints)


def unknown_function(span: Span, name: str, candidates: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "E0201", "error", f"there is no function `{name}`", span, hints=_did_you_mean(span, name, candidates)
    )


def unknown_decorator(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    known = list(known)
    return Diagnostic(
        "E0201",
        "error",
        f"there is no decorator `@{name}`",
        span,
        notes=("there are " + ", ".join(f"`@{decorator}`" for decorator in known),),
        hints=_did_you_mean(span, name, known),
    )


def unknown_member(span: Span, name: str, enum: str, members: Iterable[str]) -> Diagnostic:
    members = list(members)
    return Diagnostic(
        "E0201",
        "error",
        f"`{name}` is no {enum}",
        span,
        notes=(f"`{enum}` has {_listing(members, 12)}",),
        hints=_did_you_mean(span, name, members),
    )


def unknown_truth(span: Span, meant: str) -> Diagnostic:
    """E0201: `yes`."""
    hint = Hint(f"write `{meant}`", (Edit(span, meant),))
    return Diagnostic("E0201", "error", f"`{span.text}` is no truth value", span, hints=(hint,))


def unknown_kind(span: Span, name: str, kinds: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "E0201", "error", f"there is no block `{name}`", span, hints=_did_you_mean(span, name, kinds)
    )


def unknown_target(span: Span, name: str, targets: Iterable[str]) -> Diagnostic:
    targets = list(targets)
    return Diagnostic(
        "E0201",
        "error",
        f"nothing can be emitted for `{name}`",
        span,
        notes=(f"targets are {_listing(targets, 12)}",),
        hints=_did_you_mean(span, name, targets),
    )


def unknown_scenario(name: str, scenarios: Iterable[str]) -> Diagnostic:
    scenarios = list(scenarios)
    note = f"the plan has {_listing(scenarios)}" if scenarios else "the plan has no scenarios"
    hints = tuple(Hint(f"did you mean `{near}`?") for near in closest(name, scenarios))
    return Diagnostic("E0201", "error", f"there is no scenario `{name}`", notes=(note,), hints=hints)


def unknown_requirement(span: Span, name: str, candidates: Iterable[str]) -> Diagnostic:
    return Diagnostic(
        "E0201",
        "error",
        f"there is no requirement `{name}` to waive",
        span,
        hints=_did_you_mean(span, name, candidates),
    )


def unknown_field(span: Span, kind: str, name: str, fields: Iterable[str], declared: Span | None) -> Diagnostic:
    """E0202."""
    fields = list(fields)
    others = (Label(declared, "declared here"),) if declared else ()
    return Diagnostic(
        "E0202",
        "error",
        f"a `{kind}` has no field `{name}`",
        span,
        others=others,
        notes=(f"`{kind}` has {_listing(fields, 12)}",),
        hints=_did_you_mean(span, name, fields),
    )


def set_computed(span: Span, name: str, value: str) -> Diagnostic:
    """E0202: a quantity given a value with `=`."""
    return Diagnostic(
        "E0202",
        "error",
        f"`{name}` is computed, so it cannot be set",
        span,
        hints=(
            Hint(f"to make it hold, write `require {name} == {value}`"),
            Hint(f"to put a value in place of its formula, write `assume {name} = {value}`"),
        ),
    )


def not_an_input(span: Span, name: str, candidates: Iterable[str]) -> Diagnostic:
    """E0202: a scenario or `--set` names something that has no layer."""
    return Diagnostic(
        "E0202",
        "error",
        f"`{name}` is no input, `let` or assumption of this plan",
        span,
        hints=_did_you_mean(span, name, candidates),
    )


def not_assumable(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        "E0202",
        "error",
        f"`{name}` is an input, so it is set and not assumed",
        span,
        hints=(Hint(f"write `{name} = …`"),),
    )


def defined_twice(span: Span, name: str, first: Span, hint: str = "") -> Diagnostic:
    """E0203."""
    hints = (Hint(hint),) if hint else ()
    return Diagnostic(
        "E0203", "error", f"`{name}` has two definitions", span, "second", (Label(first, "first"),), hints=hints
    )


def taken(span: Span, name: str) -> Diagnostic:
    """E0203: a `let` that is called as a block."""
    return Diagnostic(
        "E0203", "error", f"`{name}` is a block of the plan", span, hints=(Hint("choose another name"),)
    )


def both_hold(span: Span, name: str, first: Span) -> Diagnostic:
    """E0203: two guarded formulas of a quantity whose conditions hold together."""
    return Diagnostic(
        "E0203", "error", f"two formulas of `{name}` hold at once", span, "this one", (Label(first, "and this one"),)
    )


_GLUED = re.compile(r"[0-9][0-9A-Za-z_.]*[ \t]*[A-Za-z][A-Za-z0-9_*/^-]*\Z")


def unquoted(span: Span, what: str) -> Diagnostic:
    """E0201: bare words where a text is wanted."""
    hint = Hint(f'{what} stand in quotes: write `"{span.text}"`', (Edit(span, f'"{span.text}"'),))
    return Diagnostic("E0201", "error", f"nothing is called `{span.text}`", span, hints=(hint,))


def _glued(span: Span) -> Hint:
    """Spaces around the operator before a name that was read as a unit."""
    at = Span(span.source, span.start - 1, span.start)
    before = _GLUED.search(span.source.text[max(0, at.start - 100) : at.start])
    operator = at.text if at.text in ("*", "/") else "/"
    text = f"{before.group() if before else '…'} {operator} {span.text}"
    edits = (Edit(at, f" {at.text} "),) if at.text == operator else ()
    return Hint(f"put spaces around the operator: `{text}`", edits)


def unknown_unit(span: Span, word: str, suggestions: list[str], name_at: Span | None) -> Diagnostic:
    """E0204, or E0205 where the word is a name of the plan glued to a unit."""
    if name_at is not None or word in ("",):
        return Diagnostic("E0205", "error", f"`{word}` is a name, not a unit", span, hints=(_glued(span),))
    magnitude = attached(span)
    if magnitude is not None:
        if word == "B":
            number = magnitude.edits[0].text
            text = f"write `{number[:-1]} bytes`, or `{number}` for {number[:-1]} billion"
            magnitude = Hint(text, (Edit(magnitude.edits[0].span, f"{number[:-1]} bytes"),))
        return Diagnostic("E0204", "error", f"there is no unit `{word}`", span, hints=(magnitude,))
    hints = (Hint("did you mean " + " or ".join(f"`{name}`" for name in suggestions) + "?"),) if suggestions else ()
    edits = (Edit(span, suggestions[0]),) if suggestions else ()
    return Diagnostic(
        "E0204",
        "error",
        f"there is no unit `{word}`",
        span,
        hints=tuple(Hint(hint.text, edits) for hint in hints),
    )


def circle(span: Span, name: str, chain: list[tuple[str, Span]]) -> Diagnostic:
    """E0206. `chain`: each name that is needed next, and where."""
    others = tuple(Label(at, f"needs `{needs}`") for needs, at in chain)
    return Diagnostic(
        "E0206",
        "error",
        f"`{name}` depends on itself",
        span,
        others=others[:6],
        hints=(Hint("to solve for it, leave an input as `?` and `require` what must hold"),),
    )


def calls_itself(span: Span, name: str, chain: Sequence[str]) -> Diagnostic:
    """E0206: a function that is written in terms of itself; nothing in the language loops.

    Args:
        chain: From the function through others back to it, if it does not call itself directly.
    """
    notes: tuple[str, ...] = ("functions are written out before anything is solved, so none may call itself",)
    if chain:
        notes = (" calls ".join(f"`{function}`" for function in chain), *notes)
    return Diagnostic("E0206", "error", f"`{name}` calls itself", span, notes=notes)


def inherits_itself(span: Span, name: str, like: Span) -> Diagnostic:
    """E0206: entries that are like one another."""
    return Diagnostic("E0206", "error", f'the entry "{name}" inherits from itself', span, "", (Label(like, "from here"),))


def no_entry(span: Span, kind: str, name: str, near: list[str], many: bool) -> Diagnostic:
    """E0207. `many`: the name fits several entries."""
    if many:
        message = f"`{name}` fits several entries of the catalog"
        hints: tuple[Hint, ...] = (Hint("write one of " + ", ".join(f'"{entry}"' for entry in near)),)
    else:
        message = f"the catalog has no {kind} `{name}`"
        hints = tuple(Hint(f'did you mean "{entry}"?', (Edit(span, f'"{entry}"'),)) for entry in near[:1])
    return Diagnostic("E0207", "error", message, span, hints=hints)


def no_file(span: Span, path: str, why: str) -> Diagnostic:
    return Diagnostic("E0207", "error", f"cannot use `{path}`: {why}", span)


def use_circle(span: Span, path: str) -> Diagnostic:
    return Diagnostic("E0207", "error", f"`{path}` uses itself", span, "closes the circle")


def asks_nothing(span: Span) -> Diagnostic:
    """W0610: a plan that asks for nothing."""
    return Diagnostic(
        "W0610",
        "warning",
        "the plan asks for nothing",
        Span(span.source, span.start, span.start),
        hints=(
            Hint("leave an input open, as in `hardware { gpus = ? }`, and say what must hold: `require time <= 30 days`"),
            Hint("or ask for a value: `show memory.total`"),
        ),
    )


def not_yet(span: Span, what: str) -> Diagnostic:
    """E0208: the language has it, this version of the compiler does not."""
    return Diagnostic(
        "E0208",
        "error",
        f"{what} not supported yet",
        span,
        notes=("the language reserves this; nothing was skipped",),
    )
