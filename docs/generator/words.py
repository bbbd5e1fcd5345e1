"""Words of the language: those of the grammar and the library, written into the files that highlight or list them."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

from attrs import frozen

from llmplan.check import library
from llmplan.check.calls import BUILTINS
from llmplan.operations import FUNCTIONS
from llmplan.operations.folds import FOLDS
from llmplan.syntax.grammar import CONTEXTUAL, grammar

TEXTMATE = "editors/vscode/llmplan/syntaxes/llmplan.tmLanguage.json"
PYGMENTS = "editors/pygments/llmplan_lexer.py"
LANGUAGE = "docs/language.md"

_INDENT = "    "
_BLOCK = re.compile(r"(?<=# Words, written by `python docs/generate\.py`\.\n).*?(?=# End of words\.)", re.DOTALL)
_FUNCTIONS = re.compile(r"(?<=^### Functions\n\n`)[a-z0-9 ]*", re.MULTILINE)


@frozen
class Words:
    """What a highlighter has to know by name.

    Attributes:
        keywords: Reserved words but the constants.
        contextual: Words in their place that are names elsewhere.
        constants, functions, types, units: Those that are not the plan's own.
    """

    keywords: tuple[str, ...]
    contextual: tuple[str, ...]
    constants: tuple[str, ...]
    functions: tuple[str, ...]
    types: tuple[str, ...]
    units: tuple[str, ...]


def words() -> Words:
    """The words of the language and the library, each group sorted."""
    scope, _, problems = library.load()
    assert not problems, problems
    reserved = grammar().reserved
    constants = {"true", "false"}
    return Words(
        keywords=tuple(sorted(reserved - constants)),
        contextual=tuple(sorted(CONTEXTUAL - {"_"})),
        constants=tuple(sorted(constants)),
        functions=tuple(sorted({*BUILTINS, *FOLDS, "powers", "divisors"})),
        types=("Bool", "Int", "Real", "Text"),
        units=tuple(sorted(scope.units.words)),
    )


def with_words(root: Path) -> dict[str, str]:
    """The highlighters and the page of the language with their words replaced, by path from the root of the project."""
    found = words()
    grammar = json.loads((root / TEXTMATE).read_text(encoding="utf-8"))
    for name, pattern in _patterns(found).items():
        grammar["repository"][name]["match"] = pattern
    lexer = (root / PYGMENTS).read_text(encoding="utf-8")
    return {
        TEXTMATE: json.dumps(grammar, indent=2, ensure_ascii=False) + "\n",
        PYGMENTS: _BLOCK.sub(lambda _: _assignments(found), lexer),
        LANGUAGE: _FUNCTIONS.sub(" ".join(FUNCTIONS), (root / LANGUAGE).read_text(encoding="utf-8")),
    }


def _patterns(found: Words) -> dict[str, str]:
    """By name in the repository of the TextMate grammar: what it matches."""

    def any_of(some: tuple[str, ...]) -> str:
        return "|".join(sorted(some, key=lambda word: (-len(word), word)))

    one = rf"(?:{any_of(found.units)})(?:\^-?[0-9]+)?"
    unit = rf"(?:{one}(?:[*/]{one})*(?![A-Za-z0-9_])|%)"
    magnitude = r"(?:(?:Ki|Mi|Gi|[KMBT])(?![A-Za-z0-9_]))?"
    number = rf"[0-9]+(?:_[0-9]+)*(?:\.[0-9]+(?:_[0-9]+)*)?(?:[eE][+-]?[0-9]+)?{magnitude}"
    return {
        "keywords": rf"(?<![\w.])(?:{any_of(found.keywords)})(?!\w)",
        "constants": rf"(?<![\w.])(?:{any_of(found.constants)})(?!\w)",
        "contextual": rf"(?<![\w.])(?:{any_of(found.contextual)})(?=[ \t]+[\w\"(])",
        "functions": rf"(?<![\w.])(?:{any_of(found.functions)})(?=[ \t]*\()",
        "types": rf"(?<![\w.])(?:{any_of(found.types)})(?!\w)",
        "quantities": rf"(?<!\w)({number})(?:[ \t]*(?!step[ \t]+[\w(])({unit}))?",
        "conversions": rf"(?<![\w.])(in)[ \t]+({unit})(?=[ \t]*(?:$|[}}#,]))",
    }


def _assignments(found: Words) -> str:
    """The groups as Python."""
    text = ""
    for name in ("keywords", "contextual", "constants", "functions", "types", "units"):
        listed = " ".join(f'"{word}",' for word in getattr(found, name))
        text += (
            f"{name.upper()} = (\n{textwrap.fill(listed, 100, initial_indent=_INDENT, subsequent_indent=_INDENT)}\n)\n"
        )
    return text
