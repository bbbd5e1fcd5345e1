"""What is wrong with a `log.plan`: names that it means and nothing has, units that there are not."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from llmplan.diagnostics import Diagnostic, names
from llmplan.logs.forms import SPECIAL
from llmplan.logs.formula import FUNCTIONS
from llmplan.logs.run import ROLES
from llmplan.read.mistakes import unknown_decorators, unknown_key
from llmplan.source import Source
from llmplan.syntax import nodes
from llmplan.syntax.expressions import walk
from llmplan.syntax.parse import parse
from llmplan.syntax.statements import Statements
from llmplan.units.table import UnitTable, UnknownUnit

DECORATORS = frozenset(
    {"block", "cite", "kept", "key", "names", "over", "prints", "recognised", "release", "start", "syntax"}
)
"""Those that a `log.plan` may have."""


def mistakes(source: Source, inputs: Collection[str], units: UnitTable) -> list[Diagnostic]:
    """The mistakes of one file.

    Args:
        inputs: The inputs of a plan, which a log may say.
    """
    tree, problems = parse(source)
    return problems or list(_Names(Statements.of(tree.statements), inputs, units).mistakes())


class _Names:
    def __init__(self, of: Statements, inputs: Collection[str], units: UnitTable) -> None:
        self.of = of
        self.inputs = inputs
        self.units = units
        self.keys = {kind.name.text: [field.name.text for field in kind.fields] for kind in of.kinds}
        self.roles = [f"{event}.{what}" for event, names in ROLES.items() for what in sorted(names)]

    def mistakes(self) -> Iterator[Diagnostic]:
        yield from unknown_decorators(self.of, DECORATORS)
        for kind in self.of.kinds:
            for field in kind.fields:
                yield from self._type(field.types[0])
        for entry in self.of.entries:
            for line in entry.fields:
                if line.name.text not in self.roles and line.name.text not in self.inputs:
                    known = [*self.roles, *self.inputs]
                    yield names.undefined(line.name.span, "role or input", line.name.text, known)
                yield from self._unknown(line.value)

    def _type(self, type: nodes.Type) -> Iterator[Diagnostic]:
        if type.text in SPECIAL or type.text in ("Int", "Real"):
            return
        try:
            self.units.parse(type.text)
        except UnknownUnit as unknown:
            yield names.undefined(type.span, "unit", unknown.word, self.units.words)

    def _unknown(self, node: nodes.Expr) -> Iterator[Diagnostic]:
        """Names in a formula that are no keys, nor words of a match or of a comparison."""
        for one in walk(node):
            if isinstance(one, nodes.Call):
                name = one.function.text
                if name not in FUNCTIONS:
                    yield names.undefined(one.function.span, "function", name, FUNCTIONS)
                for argument in one.arguments:
                    if name == "present" and isinstance(argument, nodes.Name) and argument.text not in self.keys:
                        yield names.undefined(argument.span, "form", argument.text, self.keys)
            elif isinstance(one, nodes.Name) and len(one.parts) > 1:
                yield from unknown_key(one, self.keys, "form")
