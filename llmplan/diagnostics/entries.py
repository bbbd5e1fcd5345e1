"""Mistakes in entries of the catalog and in their names: E0206, E0207, E0212, E0213, W0613."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.diagnostics.record import Diagnostic, Edit, Hint, Label, error
from llmplan.source import Span


def inherits_itself(span: Span, name: str, like: Span) -> Diagnostic:
    """E0206: entries that inherit from one another."""
    return error("E0206", f'entry "{name}" inherits from itself', span, others=(Label(like, "from here"),))


def no_entry(
    span: Span,
    kind: str,
    name: str,
    near: list[str],
    many: bool,
    alone: bool = False,
    choice: bool = False,
    instead: str = "",
) -> Diagnostic:
    """E0207.

    Args:
        instead: What to count instead, if the name says what no plan can.
        many: The name matches several entries.
        alone: A plan has one of the kind, and may give its own.
        choice: It is one of a few settings, and may get further ones.
    """
    if many:
        hint = Hint("write one of " + ", ".join(f'"{entry}"' for entry in near))
        return error("E0207", f"`{name}` matches several catalog entries", span, hint)
    bare = not span.text.startswith('"')
    likely = [] if instead else near[:1]
    meant = [f"`{entry}`" if bare and entry.isidentifier() else f'"{entry}"' for entry in likely]
    hints = [Hint(f"did you mean {text}?", (Edit(span, text.strip("`")),)) for text in meant]
    block = f'entry {kind} "{name}" {{ … }}' if choice else f"{kind} {{ … }}"
    own = f"`llmplan catalog {kind}s` lists the entries; for one of your own give its figures: `{block}`"
    if "/" in name:
        own += f', or its configuration: `{kind} from "config.json"`'
    return error("E0207", f"the catalog has no {kind} `{name}`", span, *hints, own if alone else "", instead)


def incomplete_entry(span: Span, kind: str, name: str, fields: Sequence[tuple[str, str]]) -> Diagnostic:
    """E0213: an entry of a choice without some fields that have no default; `fields` are names with what they mean."""
    lines = ", ".join(f"`{field} = …`" for field, _ in fields)
    notes = tuple(f"`{field}`: {_sentence(doc)}" for field, doc in fields if doc)
    which = ", ".join(f"`{field}`" for field, _ in fields)
    return error("E0213", f"the {kind} `{name}` does not give {which}", span, f"add {lines} to the entry", notes=notes)


def _sentence(doc: str) -> str:
    """The first sentence of a doc comment, without its stop."""
    return " ".join(doc.split()).partition(". ")[0].rstrip(".")


def usual_entry(span: Span, name: str, meant: str, others: Sequence[str]) -> Diagnostic:
    """W0613: a name that fits several entries, of which most people mean one."""
    listed = " and ".join([", ".join(f'"{one}"' for one in others[:-1]), f'"{others[-1]}"'][len(others) == 1 :])
    hint = Hint(f'write `"{meant}"` to say so', (Edit(span, f'"{meant}"'),))
    notes = (f"other entries are {listed}",)
    return Diagnostic("W0613", "note", f'`{name}` is taken for "{meant}"', span, hints=(hint,), notes=notes)


def unsaid(span: Span, kind: str, member: str, entry: str, fields: Sequence[str]) -> Diagnostic:
    """E0212: fields are read of the entry that stands for a member of an enum, and it does not say them.

    Args:
        entry: Empty if no entry stands for the member.
    """
    listed = ", ".join(f"`{field}`" for field in fields[:3]) + (f" and {len(fields) - 3} more" * (len(fields) > 3))
    verb = "are" if len(fields) > 1 else "is"
    if not entry:
        hint = Hint(f'write `@usual("{member}")` above the {kind} that stands for it')
        return error("E0212", f"no {kind} stands for `{member}`, from which {listed} {verb} read", span, hint)
    hint = Hint(f'set them here, or begin with those of another: `entry {kind} "{entry}" like "…"`')
    return error("E0212", f'the {kind} "{entry}" stands for `{member}` and does not set {listed}', span, hint)
