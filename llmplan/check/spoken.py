"""Names as people say them: hints for a word that the library knows under another name.

Input: a scope with the `@names`, `@words` and `@unmodelled` of the library, and an undefined word. Output: a
diagnostic whose hints name the intended field, quantity or member, or say what to count instead.
"""

from __future__ import annotations

import re

from attrs import frozen

from llmplan.check.entry_names import spelt
from llmplan.check.labels import Labelled, labelled_units, wanted
from llmplan.check.scope import Scope
from llmplan.diagnostics import Diagnostic, Edit, Hint, names, units
from llmplan.source import Span
from llmplan.syntax import nodes
from llmplan.units.measure import BOOL, EnumType, KindType, ListType, Measure, Type

_OPEN = frozenset(("auto", "automatic", "any", "best", "choose", "unknown", "tbd", "optimal"))
_TRUE = frozenset(("true", "yes", "on"))
_MOST = 2
_BEHIND = re.compile(r"[ \t]*,?[ \t]*")
"""What separates a setting in a block from the next."""


@frozen
class _Setting:
    """A setting of something that does not exist.

    Attributes:
        kind: The kind of its block, or the first part of its path; empty if there is neither.
        at: The name; for a path, its last part.
        path: The whole path; None in a block.
        value: The value that it is set to.
    """

    kind: str
    at: Span
    path: Span | None
    value: nodes.Expr

    @property
    def text(self) -> str:
        return " ".join(self.value.span.text.split())

    def instead(self, path: str, member: str = "") -> Hint:
        """The hint to set something else, to the same value or to a member."""
        own = path.startswith(f"{self.kind}.")
        name, value = path.partition(".")[2] if own else path, member or self.text
        place = self.at if own else self.path
        if place is None:
            return Hint(f"write `{path} = {value}` outside the block", self._moved(f"{path} = {value}"))
        if member:
            place = Span(place.source, place.start, self.value.span.end)
            return Hint(f"write `{name} = {member}`", (Edit(place, f"{name} = {member}"),))
        return Hint(f"did you mean `{name}`?", (Edit(place, name),))

    def _moved(self, setting: str) -> tuple[Edit, Edit]:
        """The edits that move a setting, with its comma, from its block to the end of the file."""
        source, end = self.at.source, self.value.span.end
        behind = _BEHIND.match(source.text, end)
        last = Span(source, len(source.text), len(source.text))
        line = f"{'' if source.text.endswith(chr(10)) else chr(10)}{setting}\n"
        return Edit(Span(source, self.at.start, behind.end() if behind else end), ""), Edit(last, line)


def unknown_field(scope: Scope, span: Span, kind: str, name: str, value: nodes.Expr | None = None) -> Diagnostic:
    """E0202 for a field that a kind does not have: its name, or a path that ends in it.

    Args:
        value: The value of the setting, if it is one.
    """
    at = Span(span.source, span.end - len(name), span.end)
    if value is None:
        meant = [Hint(f"did you mean `{path}`?") for path in _meant(scope, f"{kind}.{name}")[:_MOST]]
    else:
        meant = _of_setting(scope, _Setting(kind, at, span if span != at else None, value), f"{kind}.{name}")
    return names.unknown_field(at, kind, name, scope.kinds[kind], scope.having(name), meant)


def unknown_kind(scope: Scope, at: nodes.Word) -> Diagnostic:
    """E0201 for a block of an undefined kind."""
    kinds = [path for path in scope.spoken.get(spelt(at.text), ()) if path in scope.kinds]
    meant = [Hint(f"did you mean `{kind}`?", (Edit(at.span, kind),)) for kind in kinds]
    return names.undefined(at.span, "kind", at.text, scope.kinds, meant or _unmodelled(scope, at.text))


def undefined_name(scope: Scope, span: Span, name: str) -> list[Hint]:
    """Hints for an undefined name in an expression."""
    meant = [path for path in _meant(scope, name) if path not in scope.kinds]
    hints = [Hint(f"did you mean `{path}`?", (Edit(span, path),)) for path in meant]
    return hints[:_MOST] or _unmodelled(scope, name)


def nothing_to_set(scope: Scope, at: nodes.Name, value: nodes.Expr) -> list[Hint]:
    """Hints for `tp = 2` outside of a block."""
    return _of_setting(scope, _Setting("", at.span, at.span, value), at.text)


def target(scope: Scope, word: str, options: bool) -> list[str]:
    """The targets that a word can mean, each with the option whose value it is: `huggingface { trainer = trl }`.

    Args:
        options: Whether options follow the word, which rules out a further block.
    """
    named = [kind for kind in scope.spoken.get(spelt(word), ()) if kind in scope.targets]
    paths = [] if options else list(filter(None, (member_of(scope, kind, word.lower()) for kind in scope.targets)))
    return named or [f"{path.partition('.')[0]} {{ {path.partition('.')[2]} = {word.lower()} }}" for path in paths]


def unknown_member(scope: Scope, span: Span, word: str, type: EnumType) -> Diagnostic:
    """E0201 for a word where a member of an enum is expected."""
    member = scope.meant.get(type.name, {}).get(spelt(word))
    meant = [Hint(f"write `{member}`", (Edit(span, member),))] if member else _unmodelled(scope, word)
    return names.unknown_member(span, word, type.name, type.members, meant)


def of_unit(scope: Scope, word: str) -> Hint | None:
    """The field that says a word which was read as a unit: `2 failures/day`."""
    for record in (scope.fields.get(path) for path in scope.spoken.get(spelt(word), ())):
        if record is not None:
            place = wanted(scope, record.types[0], record.path)
            units = labelled_units(scope.units, place) if isinstance(place, Labelled) else [record.units[0]]
            listed = " or ".join(filter(None, [", ".join(f"`{unit}`" for unit in units[:-1]), f"`{units[-1]}`"]))
            return Hint(f"`{record.path}` says it: {_clause(record.doc)}, in {listed}")
    return None


def slip(scope: Scope, node: nodes.Expr, type: Type, name: str) -> Diagnostic | None:
    """A whole value that cannot be meant as written: `micro_batch = auto`, `tensor = [1, 2]`, `adapter = lora`,
    `gpu = "H100" or "A100"`.
    """
    if isinstance(node, nodes.Or) and type != BOOL:
        return units.one_or_another(node.span, name, [_choice(scope, item, type) for item in node.items])
    if isinstance(node, nodes.List) and not isinstance(type, ListType):
        return units.several_values(node.span, name, scope.unmodelled.get(spelt(name), ""))
    if not isinstance(node, nodes.Name) or len(node.parts) > 1 or scope.lookup(node.text) is not None:
        return None
    word = node.text
    if isinstance(type, KindType):
        if scope.find_entry(type.name, word)[0] is not None:
            return None
        path = member_of(scope, type.name, word) if name == type.name else ""
        if path:
            return names.member_of_a_field(node.span, name, path)
    elif isinstance(type, EnumType) and word in type.members:
        return None
    return names.meant_open(node.span) if word.lower() in _OPEN else None


def _choice(scope: Scope, node: nodes.Expr, type: Type) -> str:
    """A value as written in a list; an entry by its own name if the catalog can tell which is meant."""
    if isinstance(type, KindType) and isinstance(node, nodes.Text) and node.plain:
        entry = scope.find_entry(type.name, node.plain)[0]
        return f'"{entry}"' if entry else node.span.text
    return node.span.text


def member_of(scope: Scope, kind: str, word: str) -> str:
    """The field of a kind that takes a word as a member: `adapter.method` for `lora`; empty if none."""
    for field in scope.kinds.get(kind, ()):
        record = scope.fields.get(f"{kind}.{field}")
        if record is not None and isinstance(record.types[0], EnumType) and word in record.types[0].members:
            return record.path
    return ""


def _of_setting(scope: Scope, setting: _Setting, path: str) -> list[Hint]:
    name = path.rpartition(".")[2]
    meant = _meant(scope, path) or ((name,) if name in scope.quantities else ())
    meant = tuple(one for one in meant if one.startswith(f"{setting.kind}.")) or meant
    hints = [_set(scope, setting, one) for one in meant if one not in scope.kinds]
    hints = hints or _unmodelled(scope, path) or _by_member(scope, setting, name)
    blocks = [one for one in (*meant, name) if one in scope.kinds]
    if not hints and blocks:
        field = member_of(scope, blocks[0], setting.text)
        hints = [setting.instead(field, setting.text) if field else Hint(f"it is a block: `{blocks[0]} {{ … }}`")]
    return hints[:_MOST]


def _clause(doc: str) -> str:
    """The first clause of a description, as the end of a sentence."""
    text = re.split(r"[.:](?= |$)", " ".join(doc.split()))[0]
    return text[:1].lower() + text[1:]


def _set(scope: Scope, setting: _Setting, path: str) -> Hint:
    """The hint to set the intended name."""
    record, value = scope.fields.get(path), setting.value
    if record is None:
        open_ = isinstance(value, nodes.Unknown)
        required = "" if open_ else f"; to require a value, write `require {path} == {setting.text}`"
        return Hint(f"`{path}` is computed from the inputs{required}")
    if isinstance(record.types[0], Measure) and _worded(scope, value):
        return Hint(f"write a number, as `{path} = … {record.units[0]}`".removesuffix(" Int`"))
    return setting.instead(path)


def _worded(scope: Scope, value: nodes.Expr) -> bool:
    """Whether a value is a text or an undefined word."""
    return isinstance(value, nodes.Text) or isinstance(value, nodes.Name) and scope.lookup(value.text) is None


def _by_member(scope: Scope, setting: _Setting, name: str) -> list[Hint]:
    """`fsdp = true`: the name is a member of an enum, and the field that takes it has another name."""
    if setting.text.lower() not in _TRUE:
        return []
    own = [setting.kind] if setting.kind else []
    kinds = [*own, *(kind for kind in scope.kinds if kind not in scope.entries)]
    path = next(filter(None, (member_of(scope, kind, name.lower()) for kind in kinds)), "")
    return [setting.instead(path, name.lower())] if path else []


def _meant(scope: Scope, name: str) -> tuple[str, ...]:
    """The meaning of a name, or else its last part."""
    return scope.spoken.get(spelt(name)) or scope.spoken.get(spelt(name.rpartition(".")[2]), ())


def _unmodelled(scope: Scope, word: str) -> list[Hint]:
    sentence = scope.unmodelled.get(spelt(word)) or scope.unmodelled.get(spelt(word.rpartition(".")[2]))
    return [Hint(sentence)] if sentence else []
