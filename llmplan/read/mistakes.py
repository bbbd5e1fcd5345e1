"""What is wrong with a `read.plan`: names that it means and nothing has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from llmplan.diagnostics import Diagnostic, names
from llmplan.read import formats, formulas
from llmplan.read.formats import Reader
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.syntax.expressions import walk
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements

DECORATORS = frozenset(
    {
        "asked",
        "needs",
        "carried",
        "cite",
        "file",
        "forwarded",
        "ignored",
        "inputs",
        "inside",
        "key",
        "launcher",
        "merged",
        "otherwise",
        "over",
        "recognised",
        "refused",
        "release",
        "shipped",
        "syntax",
        "together",
        "unmodelled",
        "unset",
        "where",
        "words",
    }
)
"""Those that a `read.plan` may have."""

_OWN = "read"


def mistakes(source: Source, inputs: Collection[str]) -> list[Diagnostic]:
    """The mistakes of one file, beside the formats that the library has.

    Args:
        inputs: The inputs of a plan, which formulas may set.
    """
    tree, problems = parse(source)
    if problems:
        return problems
    own = formats.reader(source.name.split("/")[-2] if "/" in source.name else "", source.name, source.text)
    readers = (*(formats.reader(*text) for text in formats.texts() if text[0] != own.folder), own)
    return list(_Names(own, readers, inputs).mistakes(Statements.of(tree.statements)))


class _Names:
    def __init__(self, own: Reader, readers: Collection[Reader], inputs: Collection[str]) -> None:
        self.own = own
        self.inputs = inputs
        self.keys = {format.kind: list(format.keys) for reader in readers for format in reader.formats}

    def mistakes(self, of: Statements) -> Iterator[Diagnostic]:
        yield from unknown_decorators(of, DECORATORS)
        for entry in of.entries:
            yield from self._where(entry)
            for field in entry.fields:
                if not self._settable(field.name.text):
                    yield names.undefined(field.name.span, "input", field.name.text, self.inputs)
                yield from self._unknown(field.value)
        for let in of.lets:
            yield from self._unknown(let.value)
        for rule in of.rules:
            yield from self._unknown(rule.condition)

    def _where(self, entry: nodes.Entry) -> Iterator[Diagnostic]:
        for decorator in entry.decorators:
            for kind in (kind for kinds in said([decorator], "where") for kind in kinds):
                if kind not in self.keys:
                    yield names.undefined(decorator.name.span, "format", kind, self.keys)

    def _settable(self, path: str) -> bool:
        return path in self.inputs or path in ("model", "stack") or path.partition(".")[0] == _OWN

    def _unknown(self, node: nodes.Expr) -> Iterator[Diagnostic]:
        """Names in a formula that are neither keys nor inputs, nor words of a match or of a comparison."""
        calls = [one for one in walk(node) if isinstance(one, nodes.Call)]
        formats_asked_for = {id(one) for call in calls if call.function.text == "present" for one in call.arguments}
        for one in walk(node):
            if isinstance(one, nodes.Call) and one.function.text not in formulas.FUNCTIONS:
                yield names.undefined(one.function.span, "function", one.function.text, formulas.FUNCTIONS)
            if not isinstance(one, nodes.Name) or id(one) in formats_asked_for:
                continue
            if len(one.parts) > 1 and not self._settable(one.text):
                yield from unknown_key(one, self.keys, "format")


def unknown_decorators(of: Statements, known: Collection[str]) -> Iterator[Diagnostic]:
    """Those of kinds, their keys and entries that a file of this sort does not have."""
    own = [one for kind in of.kinds for one in kind.decorators]
    own += [one for kind in of.kinds for field in kind.fields for one in field.decorators]
    own += [one for entry in of.entries for one in entry.decorators]
    for decorator in own:
        if decorator.name.text not in known:
            yield names.unknown_decorator(decorator.name.span, decorator.name.text, sorted(known))


def unknown_key(name: nodes.Name, keys: Mapping[str, Collection[str]], sort: str) -> Iterator[Diagnostic]:
    """A name of several words that is no key.

    Args:
        keys: By the kind that has them.
        sort: What a kind is called.
    """
    first, key, *_ = name.parts
    if first not in keys:
        yield names.undefined(name.span, sort, first, keys)
    elif key not in keys[first]:
        yield names.undefined(name.span, "key", name.text, [f"{first}.{one}" for one in keys[first]])
