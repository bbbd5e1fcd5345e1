"""The pages of the reference: what the library declares, with formulas as written and typeset.

Everything comes from the library's texts and the scope that checks them; nothing is written by hand.
The same library gives the same pages, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attrs import frozen

from generator import latex
from generator.decorators import decorators
from generator.outline import Item, Key, Page, pages
from generator.placed import placed
from generator.releases import releases
from generator.units import unit_tables
from llmplan.check import library
from llmplan.check.scope import Scope
from llmplan.emit.targets import load
from llmplan.read import formats
from llmplan.source import Span
from llmplan.syntax import nodes
from llmplan.syntax.decorators import said
from llmplan.units.measure import BoolType, EnumType, ListType, Measure, TextType

FOLDER = "docs/reference"
_NOTICE = "<!-- Written by `python docs/generate.py` from plans/std: change the library, not this page. -->"
_LINKED = re.compile(r"(arXiv:)(\d{4}\.\d{4,5})|(doi:)(10\.[^\s,]+)")
_LITERALS = (nodes.Number, nodes.Bool, nodes.Name, nodes.Text)


def reference() -> dict[str, str]:
    """Every page of the reference by its path from the root of the project."""
    files = library.library_files()
    texts = {path: text for path, text in files.items() if path.startswith(("plans/std/", "templates/"))}
    scope, _, problems = library.load()
    assert not problems, problems
    outline = pages(texts)
    writer = _Writer(scope, outline)
    written = {f"{FOLDER}/{page.name}.md": writer.page(page) for page in outline}
    read = {name: text for _, name, text in formats.texts()}
    own = {"README": writer.index(), "decorators": decorators(), "releases": releases(files | read)}
    return {**{f"{FOLDER}/{name}.md": text for name, text in own.items()}, **written}


@frozen
class _Place:
    page: Page
    anchor: str


class _Writer:
    def __init__(self, scope: Scope, outline: Sequence[Page]) -> None:
        self.scope = scope
        self.outline = outline
        self.places = {key: _Place(page, anchor) for page in outline for key, anchor in page.anchors.items()}

    # Pages

    def index(self) -> str:
        """The page that leads to all others, with every name and its meaning."""
        lines = ["# Reference", "", _NOTICE, ""]
        lines.append(
            "The standard library: the inputs of a plan, the quantities computed from them, and the requirements."
        )
        lines += ["", "| page | file |", "|---|---|"]
        lines += [f"| [{page.title}]({page.name}.md) | {_file(page.source.name)} |" for page in self.outline]
        lines.append(f"| [Decorators](decorators.md) | {_file('llmplan/check/decorators.py')} |")
        lines.append("| [Releases of other software](releases.md) | all of these, the catalog and what files mean |")
        for title, tags in _KINDS_OF_NAMES:
            rows = [
                (item.key[1], f"| {self._link(item.key, '')} | {self._summary(item)} |")
                for page in self.outline
                for item in page.items
                if item.key is not None and _tag(item) in tags
            ]
            lines += ["", f"## {title}", "", "| name | meaning |", "|---|---|"]
            lines += [row for _, row in sorted(rows)]
        return "\n".join(lines) + "\n"

    def _summary(self, item: Item) -> str:
        statement = item.statements[0]
        words = statement.doc
        if not words and isinstance(statement, (nodes.Require, nodes.Prefer)) and statement.because is not None:
            words = statement.because.plain or ""
        if not words and isinstance(statement, nodes.Enum):
            words = ", ".join(member.name.text for member in statement.members)
        return _cell(" ".join(words.split()))

    def page(self, page: Page) -> str:
        lines = [f"# {page.title}", "", _NOTICE, "", f"From {_file(page.source.name)}. [Index](README.md)", ""]
        if page.intro:
            lines += [_prose(page.intro), ""]
        lines += self._keys(page)
        goals: list[nodes.Objective] = []
        units = [s for item in page.items for s in item.statements if isinstance(s, (nodes.Dimension, nodes.UnitDecl))]
        if units:
            lines += unit_tables(self.scope, units)
        for item in page.items:
            first = item.statements[0] if item.statements else None
            if units and (first is None or first in units):
                continue  # the tables go by dimension, and hold the prefixed words too
            if item.level:
                lines += [f"{'#' * item.level} {item.title}", ""]
            if first is None:
                lines += [_prose(item.text), ""] if item.text else []
            elif isinstance(first, nodes.Objective):
                goals.append(first)
                lines += [f"{len(goals)}. `{_one_line(first.span)}`", ""]
            else:
                lines += self._item(item, page.name)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"

    def _keys(self, page: Page) -> Iterator[str]:
        """The keys of a target's files, each with the values that it depends on."""
        target = load()[0].get(page.name.removeprefix("target-"))
        if target is None or page.name == target.name:
            return
        for file, rows in placed(target).items():
            yield from (f"### `{file}`", "", "| key | from |", "|---|---|")
            for key, names in rows:
                links = [self._named(name, page.name) for name in names]
                yield f"| `{key}` | {', '.join(links)} |"
            yield ""

    def _named(self, name: str, page: str) -> str:
        """A name, with a link where the reference has it."""
        known = [key for key in self.places if key[1] == name]
        return self._link(known[0], page) if known else f"`{name}`"

    # Items

    def _item(self, item: Item, page: str) -> Iterator[str]:
        for statement in item.statements:
            if statement.doc:
                yield from (_prose(" ".join(statement.doc.split())), "")
            if isinstance(statement, nodes.Enum):
                yield from self._enum(statement, page)
            elif isinstance(statement, nodes.Kind):
                yield from self._kind(statement, page)
            elif isinstance(statement, nodes.FieldDecl):
                yield from self._field(statement, item.owner, page)
            elif isinstance(statement, nodes.Quantity):
                yield from self._formula(statement, latex.name(statement.name.parts) + _indices(statement))
            elif isinstance(statement, nodes.Fn):
                yield from self._fn(statement)
            elif isinstance(statement, (nodes.Require, nodes.Prefer)):
                yield from self._rule(statement)
            yield from self._foot(statement, item.owner, page)

    def _enum(self, enum: nodes.Enum, page: str) -> Iterator[str]:
        yield "One of " + ", ".join(f"`{member.name.text}`" for member in enum.members) + "."
        yield ""
        users = [
            self._link(("name", path), page)
            for path in self.scope.fields
            if any(isinstance(type, EnumType) and type.name == enum.name.text for type in self.scope.fields[path].types)
        ]
        if users:
            yield from (f"Type of {', '.join(users)}.", "")

    def _kind(self, kind: nodes.Kind, page: str) -> Iterator[str]:
        yield "| field | type | default | meaning |"
        yield "|---|---|---|---|"
        for one in kind.fields:
            path = f"{kind.name.text}.{one.name.text}"
            default = "–"
            if isinstance(one.default, _LITERALS):
                default = f"`{one.default.span.text}`"
            elif one.default is not None:
                default = "`?`" if isinstance(one.default, nodes.Unknown) else "a formula"
            link = self._link(("name", path), page, one.name.text)
            yield f"| {link} | {self._types(one, page)} | {default} | {_cell(' '.join(one.doc.split()))} |"
        yield ""

    def _types(self, one: nodes.FieldDecl, page: str) -> str:
        shown = []
        for type in one.types:
            words = f"[{type.text}]" if type.is_list else type.text
            key: Key = ("type" if type.text in self.scope.enums else "kind", type.text)
            shown.append(self._link(key, page, words) if key in self.places else f"`{words}`")
        return " or ".join(shown)

    def _field(self, one: nodes.FieldDecl, kind: str, page: str) -> Iterator[str]:
        yield f"- type: {self._types(one, page)}"
        if one.domain is not None:
            yield f"- legal values: `{_one_line(one.domain.span)}`"
        if isinstance(one.default, nodes.Unknown):
            yield "- default: `?`, found by the solver"
        elif one.default is not None:
            yield f"- default: `{_one_line(one.default.span)}`"
        else:
            yield "- default: none; what needs it says so"
        labels = [label for labels in said(one.decorators, "per") for label in labels]
        if len(labels) > 1:
            yield f"- a number says what it is for: one {', one '.join(labels[:-1])} or one {labels[-1]} (E0311)"
        yield f"- a bare `?` ranges over {self._open(one, kind)}"
        yield ""
        if one.default is not None and not isinstance(one.default, (*_LITERALS, nodes.Unknown)):
            yield from _math(latex.definition(latex.name((kind, one.name.text)), one.default))

    def _open(self, one: nodes.FieldDecl, kind: str) -> str:
        default = one.default.domain if isinstance(one.default, nodes.Unknown) else None
        domain = (one.unknown.domain if one.unknown is not None else None) or default
        if domain is not None:
            return f"`{_one_line(domain.span)}`"
        type = self.scope.fields[f"{kind}.{one.name.text}"].type
        if isinstance(type, EnumType):
            return "all members"
        if isinstance(type, BoolType):
            return "`false` and `true`"
        if isinstance(type, (TextType, ListType)):
            return "nothing: it cannot be left open"
        if isinstance(type, Measure) and type.whole and one.domain is not None:
            return "the legal values"
        return "nothing: write a domain, `? in …`"

    def _formula(self, statement: nodes.Quantity, left: str) -> Iterator[str]:
        yield from _written(statement)
        if not isinstance(statement.value, _LITERALS):
            yield from _math(latex.definition(left, statement.value))

    def _fn(self, fn: nodes.Fn) -> Iterator[str]:
        yield from _written(fn)
        params = ", ".join(latex.name((param.name.text,)) for param in fn.params)
        left = rf"{latex.name((fn.name.text,))}\left( {params} \right)"
        yield from _math(latex.definition(left, fn.body.value, fn.body.lets))
        examples = said(fn.decorators, "example")
        if examples:
            yield from (f"- `{call}` is {result}" for call, result in examples)
            yield ""

    def _rule(self, rule: nodes.Require | nodes.Prefer) -> Iterator[str]:
        if rule.because is not None:
            words = _prose(rule.because.plain or rule.because.span.text)
            yield from (f"Because {words}.", "")
        if isinstance(rule, nodes.Prefer):
            weight = 1 if rule.weight is None else rule.weight.value
            yield "A preference" + (": unmet, it only warns." if not weight else f" of weight {weight}.")
            yield ""
        yield from _written(rule)
        yield from _math(latex.display(rule.condition))

    def _foot(self, statement: nodes.Statement, owner: str, page: str) -> Iterator[str]:
        """Sources, place, and the names that are read."""
        notes = []
        for texts in said(getattr(statement, "decorators", ()), "cite"):
            notes.append("Source: " + _source(", ".join(texts)) + ".")
        reads = [] if isinstance(statement, (nodes.Kind, nodes.Enum)) else self._reads(statement, owner)
        if reads:
            notes.append("Reads " + ", ".join(self._link(key, page) for key in reads) + ".")
        span = statement.span
        notes.append(f"{_file(span.source.name, _head(statement).line)}")
        yield from (note + "  " for note in notes[:-1])
        yield from (notes[-1], "")

    def _reads(self, statement: nodes.Statement, owner: str) -> list[Key]:
        """Inputs, quantities and functions that a declaration refers to, in order, each once."""
        own = getattr(statement, "name", None)
        itself = {getattr(own, "text", ""), f"{owner}.{getattr(own, 'text', '')}"}
        bound = {param.name.text for param in getattr(statement, "params", ())}
        bound |= {let.name.text for let in getattr(getattr(statement, "body", None), "lets", ())}
        found: dict[Key, None] = {}
        annotations = {id(node) for d in getattr(statement, "decorators", ()) for node in nodes.walk(d)}
        for node in nodes.walk(statement):
            if id(node) in annotations:
                continue
            if isinstance(node, nodes.Call) and ("fn", node.function.text) in self.places:
                found[("fn", node.function.text)] = None
            if not isinstance(node, nodes.Name) or node.text in itself | bound:
                continue
            for name in (f"{owner}.{node.text}", node.text, ".".join(node.parts[:-1])):
                if name not in itself and ("name", name) in self.places:
                    found[("name", name)] = None
                    break
        return list(found)

    def _link(self, key: Key, page: str, words: str = "") -> str:
        place = self.places[key]
        target = "" if place.page.name == page else f"{place.page.name}.md"
        return f"[`{words or key[1]}`]({target}#{place.anchor})"


_KINDS_OF_NAMES = (
    ("Blocks", {"kind"}),
    ("Inputs", {"input"}),
    ("Quantities", {"quantity"}),
    ("Functions", {"fn"}),
    ("Requirements and preferences", {"rule"}),
    ("Words of inputs", {"type"}),
)


def _tag(item: Item) -> str:
    assert item.key is not None
    if item.key[0] == "name":
        return "input" if item.owner else "quantity"
    return item.key[0]


def _indices(quantity: nodes.Quantity) -> str:
    names = ", ".join(latex.name((index.name.text,)) for index in quantity.indices)
    return rf"\left[ {names} \right]" if names else ""


def _head(statement: nodes.Statement) -> Span:
    """A declaration without its decorators."""
    decorators = getattr(statement, "decorators", ())
    if not decorators:
        return statement.span
    source, start = statement.span.source, decorators[-1].span.end
    between = re.compile(r"(?:\s+|#[^\n]*)*").match(source.text, start)
    assert between is not None
    return Span(source, between.end(), statement.span.end)


def _written(statement: nodes.Statement) -> Iterator[str]:
    """A declaration as it stands in the library."""
    yield from ("```plan", _head(statement).text, "```", "")


def _math(formula: str) -> Iterator[str]:
    yield from ("```math", formula, "```", "")


def _one_line(span: Span) -> str:
    return " ".join(span.text.split())


def _prose(text: str) -> str:
    """The words of a comment as Markdown: apparent markup outside backticks stays text."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([*<])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _cell(text: str) -> str:
    return _prose(text).replace("|", r"\|")


def _source(text: str) -> str:
    """A citation, with a link where it names a paper by number."""

    def link(found: re.Match[str]) -> str:
        if found[1]:
            return f"[{found[0]}](https://arxiv.org/abs/{found[2]})"
        return f"[{found[0]}](https://doi.org/{found[4]})"

    return _LINKED.sub(link, _prose(text))


def _file(path: str, line: int = 0) -> str:
    shown, target = (f"{path}:{line}", f"{path}#L{line}") if line else (path, path)
    return f"[{shown}](../../{target})"
