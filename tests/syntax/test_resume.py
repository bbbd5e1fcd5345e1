"""A long text with an error is not read twice: the same is said of it, and in about the time of a sound one."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from llmplan.diagnostics import render_text
from llmplan.source import Source
from llmplan.syntax import resume
from llmplan.syntax.parse import parse
from tests.thorough import examples

ROOT = Path(__file__).parents[2]
TEXTS = [
    path.read_text(encoding="utf-8")
    for path in sorted(
        [*ROOT.glob("tests/errors/E01*.plan"), *ROOT.glob("plans/std/[c-m]*.plan"), *ROOT.glob("plans/*.plan")]
    )
]
PIECES = ["=", " = 3", "{", "}", "(", ")", "[", "\n", "let ", ", ", '"', "?", "then ", "@", "1..2", "$", "for "]


def mutant(chance: random.Random) -> str:
    text = chance.choice(["", "let before = 1\n", '\n\nmodel "x"\n']) + chance.choice(TEXTS)
    for _ in range(chance.choice((1, 1, 2))):
        at = chance.randrange(len(text) + 1)
        gone = chance.choice((0, 0, chance.randrange(1, 8)))
        text = text[:at] + ("" if gone else chance.choice(PIECES)) + text[at + gone :]
    return text


def test_the_same_is_said(monkeypatch):
    chance = random.Random(1)
    for _ in range(examples(400, 0.05)):
        source = Source("x", mutant(chance))
        monkeypatch.setattr(resume, "BEFORE", 10**9)
        whole = parse(source)
        monkeypatch.setattr(resume, "BEFORE", 0)
        resumed = parse(source)
        assert render_text.render(resumed[1]) == render_text.render(whole[1])
        assert resumed[0] == whole[0]


def test_in_the_middle_of_a_statement_nothing_breaks(monkeypatch):
    monkeypatch.setattr(resume, "WITHIN", 0)
    chance = random.Random(2)
    for _ in range(examples(400, 0.05)):
        source = Source("x", mutant(chance))
        _, found = parse(source)
        render_text.render(found)
        monkeypatch.setattr(resume, "WITHIN", 10**9)
        assert bool(found) == bool(parse(source)[1])
        monkeypatch.setattr(resume, "WITHIN", 0)


def test_a_statement_that_its_line_end_ends_too_early(monkeypatch):
    for text in ("minimize\n hardware.gpus\nemit report\n", "let a =\nlet b = 2\n", "h {\n a = 1\n}\nrequire\n"):
        monkeypatch.setattr(resume, "WITHIN", 0)
        assert parse(Source("x", text))[1]


LONG = {
    "statements": "".join(f"let a{n} = {n} + 2\n" for n in range(2500)),
    "a list": "let x = [" + "1, " * 30_000 + "\n",
    "a block": "model {\n" + "params = 7B\n" * 12_000,
    "a sum": "let x = 1" + " + 1" * 30_000,
}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind != "statements")) for kind in LONG]
)
def test_a_long_text_with_an_error_at_its_end(kind):
    def took(text: str) -> float:
        before = time.process_time()
        parse(Source("x", text))
        return time.process_time() - before

    text = LONG[kind]
    wrong = took(text + "\nlet x = = 3\n")
    sound = took({"a list": text + "1]\n", "a block": text + "}\n"}.get(kind, text))
    assert wrong < 2.0 * sound + 0.3
