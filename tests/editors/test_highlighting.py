"""Both highlighters read every plan of the tree, and give words the roles that the language gives them."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLANS = sorted(path for path in (ROOT / "plans").rglob("*.plan") if "build" not in path.parts)
PLANS += sorted((ROOT / "tests" / "integration" / "programs").rglob("*.plan"))
SAMPLE = """\
language 1
## A doc
model "llama-7b" { params = 7.5B }  # a comment
hardware { gpus = ? in 8..64 step 8, price = 1.99 USD/GPU/hour }
training.warmup = 1 step
let step = 40%
require certain deadline: time <= 30 days because "takes {time in days} \\{x}"
@cite("here")
@unit(GPU*hour) @within(step.low, max)
@unit(%)
quantity memory.x[s: Stage]: byte/token when given(gpu.memory) = max(a, 6 FLOP/token^2) * true
show cost / dataset.tokens in USD/Ttoken
emit deepspeed into "a"
"""

# Word, what stands before it in the sample, its role in Pygments, and its scope in the TextMate grammar.
ROLES = [
    ("language", "", "Token.Keyword", "keyword.other"),
    ("## A doc", "", "Token.Literal.String.Doc", "comment.line.documentation"),
    ("# a comment", "", "Token.Comment.Single", "comment.line.number-sign"),
    ("model", "", "Token.Keyword.Namespace", "entity.name.type"),
    ("7.5B", "= ", "Token.Literal.Number", "constant.numeric"),
    ("?", "gpus = ", "Token.Keyword.Constant", "constant.language.unknown"),
    ("in", "? ", "Token.Operator.Word", "keyword.control"),
    ("step", "64 ", "Token.Keyword", "keyword.other"),
    ("step", "= 1 ", "Token.Name.Builtin", "keyword.other.unit"),
    ("step", "let ", "Token.Name.Variable", "entity.name"),
    ("USD/GPU/hour", "1.99 ", "Token.Name.Builtin", "keyword.other.unit"),
    ("%", "40", "Token.Name.Builtin", "keyword.other.unit"),
    ("require", "", "Token.Keyword", "keyword.control"),
    ("certain", "require ", "Token.Keyword", "keyword.other"),
    ("deadline", "certain ", "Token.Name.Label", "entity.name"),
    ("days", "30 ", "Token.Name.Builtin", "keyword.other.unit"),
    ("days", "time in ", "Token.Name.Builtin", "keyword.other.unit"),
    ("\\{", "days} ", "Token.Literal.String.Escape", "constant.character.escape"),
    ("@cite", "", "Token.Name.Decorator", "entity.name.function.decorator"),
    ("GPU*hour", "@unit(", "Token.Name.Builtin", "keyword.other.unit"),
    ("%", "@unit(", "Token.Name.Builtin", "keyword.other.unit"),
    ("step.low", "@within(", "Token.Name", "variable.other"),
    ("quantity", "", "Token.Keyword.Declaration", "keyword.declaration"),
    ("Stage", "s: ", "Token.Keyword.Type", "storage.type"),
    ("byte/token", "]: ", "Token.Keyword.Type", "storage.type"),
    ("given", "when ", "Token.Name.Builtin", "support.function"),
    ("max", "= ", "Token.Name.Builtin", "support.function"),
    ("FLOP/token^2", "6 ", "Token.Name.Builtin", "keyword.other.unit"),
    ("true", "* ", "Token.Keyword.Constant", "constant.language"),
    ("USD/Ttoken", "tokens in ", "Token.Name.Builtin", "keyword.other.unit"),
    ("into", "deepspeed ", "Token.Keyword", "keyword.other"),
]


def place(word: str, before: str) -> int:
    """Where a word stands in the sample after what stands before it: a line's start, if nothing does."""
    found = re.search((re.escape(before) if before else "(?:^|(?<=  ))") + f"({re.escape(word)})", SAMPLE, re.MULTILINE)
    assert found is not None
    return found.start(1)


@pytest.fixture(scope="module")
def lexer():
    pytest.importorskip("pygments", reason="Pygments is not installed")
    spec = importlib.util.spec_from_file_location("llmplan_lexer", ROOT / "editors" / "pygments" / "llmplan_lexer.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PlanLexer()


@pytest.mark.quick(20)
@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pygments_reads_every_plan(lexer, path):
    text = path.read_text(encoding="utf-8")
    tokens = list(lexer.get_tokens_unprocessed(text))
    assert "".join(part for _, _, part in tokens) == text
    assert [(at, part) for at, token, part in tokens if "Error" in str(token)] == []


@pytest.mark.parametrize(("word", "before", "role", "scope"), ROLES)
def test_roles_in_pygments(lexer, word, before, role, scope):
    tokens = {at: (str(token), part) for at, token, part in lexer.get_tokens_unprocessed(SAMPLE)}
    assert tokens[place(word, before)] == (role, word)


class TextMate:
    """Reads a grammar as editors do: line by line, the pattern that matches first wins."""

    def __init__(self, grammar: dict) -> None:
        self.patterns = grammar["patterns"]
        self.repository = grammar["repository"]

    def tokens(self, line: str) -> dict[int, tuple[str, str]]:
        """By place: the innermost scope and its text."""
        found: dict[int, tuple[str, str]] = {}
        self._read(line, 0, self.patterns, None, found)
        return found

    def _flat(self, patterns: list) -> list:
        flat = []
        for pattern in patterns:
            while "include" in pattern:
                pattern = self.repository[pattern["include"][1:]]
            flat += self._flat(pattern["patterns"]) if set(pattern) == {"patterns"} else [pattern]
        return flat

    def _read(self, line: str, at: int, patterns: list, end: str | None, found: dict) -> int:
        while at < len(line):
            best = None
            for pattern in self._flat(patterns):
                match = re.compile(pattern.get("match") or pattern["begin"]).search(line, at)
                if match and match.end() > match.start() and (best is None or match.start() < best[0].start()):
                    best = match, pattern
            stop = re.compile(end).search(line, at) if end is not None else None
            if stop is not None and (best is None or stop.start() <= best[0].start()):
                return stop.end()
            if best is None:
                return len(line)
            match, pattern = best
            if "name" in pattern:
                found[match.start()] = (pattern["name"], match.group())
            for group, capture in pattern.get("captures", {}).items():
                if match.group(int(group)):
                    found[match.start(int(group))] = (capture["name"], match.group(int(group)))
            at = match.end()
            if "begin" in pattern:
                at = self._read(line, at, pattern.get("patterns", []), pattern["end"], found)
        return at


@pytest.fixture(scope="module")
def textmate():
    path = ROOT / "editors" / "vscode" / "llmplan" / "syntaxes" / "llmplan.tmLanguage.json"
    return TextMate(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(("word", "before", "role", "scope"), ROLES)
def test_scopes_in_the_textmate_grammar(textmate, word, before, role, scope):
    offset = place(word, before)
    start = SAMPLE.rfind("\n", 0, offset) + 1
    line = SAMPLE[start:].split("\n", 1)[0]
    name, part = textmate.tokens(line)[offset - start]
    assert part == word and name.removesuffix(".llmplan").startswith(scope)


@pytest.mark.quick(20)
@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_textmate_grammar_leaves_only_brackets_and_commas(textmate, path):
    for line in path.read_text(encoding="utf-8").splitlines():
        rest = list(line)
        inside = 0
        for at, (_, part) in sorted(textmate.tokens(line).items()):
            rest[at : at + len(part)] = " " * len(part)
            inside += part == '"'
        if not inside:
            assert set(rest) <= set(" \t{}()[],:->"), line
