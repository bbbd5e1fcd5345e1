"""Makes small inputs for parse and check, by the hundred a second: statements of the plans and of the library with
words changed, texts of the grammar, `--set` texts, values and expressions, configurations, records of measured runs,
and noise.

Each is a case of one command, as those of `make.py` are, so that one that failed is run again by the command itself.
Most are short: what is wrong with a text lies in a line or two, and a long one costs as much as ten of those.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

from tests.errors.mutations import NUMBERS, ODD, PLANS, SNIPPETS
from tests.fuzz import make
from tests.fuzz.case import Case, File, Run
from tests.syntax.test_format import SAMPLES, height, heights, rules

_WORD = re.compile(r'"[^"\n]*"|[A-Za-z_][\w.]*|[0-9][\w.]*|[ \t]+|\n|[<>=!]=|=>|->|\.\.|.', re.DOTALL)
_STATEMENT = re.compile(r"(?m)^(?=[A-Za-z@#])")
_CHECK = Run(("check", "a.plan"))

UNITS = (
    "GB",
    "GiB",
    "s",
    "days",
    "hours",
    "TFLOP/s",
    "byte/s/GPU",
    "USD",
    "tokens",
    "USD/GPU/hour",
    "%",
    "B",
    "nonsense",
    "GB^2",
)
MARKS = ("+", "-", "*", "/", "^", "==", "<", "<=", ">=", ">", "!=", "and", "or")
CALLS = (
    "min",
    "max",
    "ceil",
    "floor",
    "round",
    "sqrt",
    "ln",
    "exp",
    "abs",
    "mod",
    "given",
    "sum",
    "interpolate",
    "first",
    "count",
)
CHARACTERS = (
    "\x00", "\t", "\r", "\r\n", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\xa0", "\xad", "\u200b", "\u202e", "\u2028",
    "\ufeff",
    "\ufffd", "\ud800", "\u0301", "é", "µ", "Ω", "９", "²", "½", "\U0001f600", "\U000e0041", "“", "–", "×", "≤", "'",
    "`", "$", "\\",
)  # fmt: skip


def piece(seed: int, number: int) -> Case:
    """One input of a seed."""
    dice = random.Random(f"piece/{seed}/{number}")
    sort = dice.choices(_NAMES, _WEIGHTS)[0]
    made = _SORTS[sort][0](dice)
    return Case(f"{sort}, seed {seed}, number {number}", made.runs, made.files)


def _checked(text: str | bytes, *settings: str, further: tuple[File, ...] = ()) -> Case:
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    arguments = [part for setting in settings for part in ("--set", setting)]
    run = Run(("check", "a.plan", *arguments)) if arguments else _CHECK
    return Case("", (run,), (File("a.plan", content), *further))


# Texts


def _plan(dice: random.Random) -> Case:
    """Some statements of plans that ship, with words changed."""
    parts = dice.choice(_plans())
    if dice.random() < 0.97:
        parts = [dice.choice(parts) for _ in range(dice.randrange(1, 4))]
    text = _mutated(dice, parts)
    return _checked(f"{make.BASE}{text}" if dice.random() < 0.05 else text)


def _declared(dice: random.Random) -> Case:
    """Some declarations of the library in a plan, with words changed."""
    parts = dice.choice(_library())
    text = _mutated(dice, [dice.choice(parts) for _ in range(dice.choice((1, 1, 2)))])
    if dice.random() < 0.3:
        text = text.replace("quantity ", "replace quantity ").replace("fn ", "replace fn ")
    return _checked(text)


def _file(dice: random.Random) -> Case:
    """A whole file of the library, with words changed, as a plan; a few in their place in a copy of the library."""
    name, text = dice.choice(make._texts())
    changed = _mutated(dice, [text])
    if dice.random() < 0.95:
        return _checked(changed)
    files = [(other, changed if other == name else text) for other, text in make._texts()]
    laid = tuple(File(f"plans/{other}", text.encode("utf-8", "surrogatepass")) for other, text in files)
    return Case("", (Run(("check", f"plans/{name}")),), laid)


def _strained(dice: random.Random) -> Case:
    """Snippets that strain the compiler, one upon another."""
    parts = [dice.choice(SNIPPETS) for _ in range(dice.choice((1, 1, 1, 2)))]
    return _checked(_mutated(dice, parts))


def _derived(dice: random.Random) -> Case:
    """Words of the grammar, with names of the library in some of them."""
    words = []
    for _ in range(dice.randrange(1, 4)):
        words += [*derived(dice, "statement", dice.randrange(4, 50)), "\n"]
    known = dice.random() < 0.7
    names = SAMPLES["NAME"]
    words = [dice.choice(make._paths()) if known and word in names and dice.random() < 0.6 else word for word in words]
    space = dice.choice((" ", " ", " ", "  ", "\t"))
    return _checked(space.join(words) if dice.random() < 0.95 else "".join(words))


def _calculated(dice: random.Random) -> Case:
    """Definitions that read each other and the library, in requirements, objectives and results."""
    known = ["v0", "v1", *(dice.choice(make._paths()) for _ in range(3))]
    lines = []
    for number in range(dice.randrange(1, 5)):
        value = dice.choice((_formula, _formula, _formula, _domain))(dice, known)
        lines.append(f"let v{number} = {value}")
        known.append(f"v{number}")
    for _ in range(dice.randrange(1, 4)):
        lines.append(_asked(dice, known))
    dice.shuffle(lines)
    return _checked("\n".join(lines))


def _asked(dice: random.Random, known: list[str]) -> str:
    one, other = _formula(dice, known), _formula(dice, known)
    sign, name = dice.choice(MARKS), dice.choice(known)
    return dice.choice(
        (
            f"require {one} {sign} {other}",
            f"require certain r: {one} {sign} {other} when {name} > 0 else \"{{{name}}}\"",
            f"prefer {one} {sign} {other} weight {dice.choice(NUMBERS)}",
            f"minimize {one}",
            f"pareto {one}, {other}",
            f"show {one} in {dice.choice(UNITS)}",
            f"show \"{{{one} in {dice.choice(UNITS)}}}\"",
            f"sweep {name} in {_domain(dice, known)[5:]}",
            f"scenario \"s\" {{ {name} = {one} }}",
            f"fn f(n: Real) -> Real = {one}",
            f"quantity q.{number_of(dice)}[p: Precision]: byte when {other} = {one}",
            f"assume {name} = {one}..{other}",
            f"{name} = {one}",
        )
    )  # fmt: skip


def number_of(dice: random.Random) -> str:
    """A short name."""
    return dice.choice("abcde")


def _formula(dice: random.Random, known: list[str], depth: int = 3) -> str:
    if depth == 0 or dice.random() < 0.3:
        number = f"{dice.choice(NUMBERS)}{dice.choice(('', ' ', ' ' + dice.choice(UNITS)))}"
        return dice.choice(
            (number, number, dice.choice(known), dice.choice(known), dice.choice(ODD), '"x"', "true", "[1, 2]")
        )
    one, other = _formula(dice, known, depth - 1), _formula(dice, known, depth - 1)
    return dice.choice(
        (
            f"{one} {dice.choice(MARKS)} {other}",
            f"({one}) {dice.choice(MARKS)} ({other})",
            f"{dice.choice(CALLS)}({one}{dice.choice(('', f', {other}'))})",
            f"if {one} {dice.choice(MARKS)} 1 then {one} else {other}",
            f"match {dice.choice(known)} {{ {dice.choice(known)} => {one}, _ => {other} }}",
            f"{dice.choice(('max', 'min', 'sum'))}({one} for x in {dice.choice(('Precision', 'Dtype', 'Stage', 'x'))})",
            f"{dice.choice(known)}[{other}]",
            f"-{one}",
        )
    )


def _domain(dice: random.Random, known: list[str]) -> str:
    low, high = (_formula(dice, known, dice.choice((0, 0, 0, 1))) for _ in "ab")
    shapes = (
        "{0}..{1}",
        "{0}..{1}",
        "[{0}, {1}]",
        "{0}..{1} step {0}",
        "divisors({1})",
        "powers({0}, {0}..{1})",
        "{1}",
        "[]",
    )
    return f"? in {dice.choice(shapes).format(low, high)}"


def _value(dice: random.Random) -> Case:
    """Texts for `--set`, above a plan or nothing."""
    known = ["v0", *(dice.choice(make._paths()) for _ in range(2))]
    given = []
    for _ in range(dice.randrange(1, 4)):
        words = derived(dice, "value", dice.randrange(2, 25))
        value = dice.choice(
            (make._value(dice), _formula(dice, known), _domain(dice, known), " ".join(words), _soup(dice, 12))
        )
        path = dice.choice((*known, dice.choice(make._paths()), *HARD_PATHS)).strip() or "x"
        given.append(f"{path}={value}".replace("\0", ""))
    text = (
        dice.choice(("", "let v0 = 1\n", "show v0\n", make.BASE))
        if dice.random() < 0.9
        else _mutated(dice, dice.choice(_plans()))
    )
    return _checked(text, *given)


HARD_PATHS = ("gpus", "hardware.gpu", "model", "hardware", "v0.v1", "..", "a b", "let", "é", "\x1b[2J", "x" * 3000)


def _soup(dice: random.Random, most: int) -> str:
    words = (
        *MARKS,
        *ODD,
        *NUMBERS,
        *UNITS,
        *CALLS,
        *CHARACTERS,
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        '"',
        "\n",
        "\n",
        " ",
        " ",
        " ",
    )
    return "".join(dice.choice(words) for _ in range(dice.randrange(1, most)))


def _noise(dice: random.Random) -> Case:
    """Bytes, characters, and both in the middle of statements."""
    kind = dice.randrange(5)
    if kind == 0:
        return _checked(dice.randbytes(dice.randrange(200)))
    if kind == 1:
        tops = (0x7F, 0x3000, 0x110000)
        return _checked("".join(chr(dice.randrange(dice.choice(tops))) for _ in range(dice.randrange(120))))
    if kind == 2:
        return _checked(_soup(dice, 60))
    text = _mutated(dice, [dice.choice(dice.choice(_plans())) for _ in range(2)])
    at = dice.randrange(len(text) + 1)
    if kind == 3:
        return _checked(text[:at] + "".join(dice.choice(CHARACTERS) for _ in range(dice.randrange(1, 4))) + text[at:])
    content = text.encode("utf-8", "replace")
    return _checked(content[:at] + dice.randbytes(dice.randrange(1, 4)) + content[at + dice.randrange(3) :])


def _bracketed(dice: random.Random) -> Case:
    """Brackets, texts, operators and `if` in each other or one after another, most of them left open."""
    opening = dice.choice(
        ("(", "[", "{", "if true then ", "-", "not ", "min(", "a[", "match x { _ => ", "1 + (", '"{', "2^", "a { b = [")
    )
    times = dice.choice((3, 20, 95, 99, 100, 101, 150, 600))
    start = dice.choice(
        ("let x = ", "show ", "require ", "model ", "", "hardware { gpus = ", "fn f(n: Real) -> Real = ")
    )
    close = {"(": ")", "[": "]", "{": "}"}.get(opening.strip()[-1:], "") * dice.choice(
        (0, times, times, times - 1, times + 1)
    )
    line = f"{start}{opening * times}{dice.choice(('1', 'x', '', '?'))}{close}"
    return _checked(f"{line}\n{_mutated(dice, [dice.choice(dice.choice(_plans()))])}")


# What is no plan


def _config(dice: random.Random) -> Case:
    """A model from a `config.json` in which something is not as it should be."""
    text = json.dumps(make._damaged(dice, deepcopy(dice.choice(make._configs()))), ensure_ascii=dice.random() < 0.5)
    if dice.random() < 0.2:
        text = make._cut(dice, text)
    plan = dice.choice(
        ('model from "config.json"\n', 'model from "config.json"\nshow model.params\n', 'gpu from "config.json"\n')
    )
    return _checked(plan, further=(make._file("config.json", text),))


def _record(dice: random.Random) -> Case:
    """A measured run in which something is not as it should be."""
    text = json.dumps(make._damaged(dice, json.loads(dice.choice(make._records()))), ensure_ascii=dice.random() < 0.5)
    if dice.random() < 0.1:
        text = make._cut(dice, text)
    return Case("", (Run(("backtest", "cases.jsonl")),), (make._file("cases.jsonl", text),))


_SORTS: dict[str, tuple[Callable[[random.Random], Case], float]] = {
    "plan": (_plan, 18),
    "declared": (_declared, 14),
    "file": (_file, 0.1),
    "strained": (_strained, 8),
    "derived": (_derived, 16),
    "calculated": (_calculated, 14),
    "value": (_value, 10),
    "noise": (_noise, 12),
    "bracketed": (_bracketed, 3),
    "config": (_config, 4),
    "record": (_record, 1),
}
_NAMES, _WEIGHTS = list(_SORTS), [weight for _, weight in _SORTS.values()]


def _mutated(dice: random.Random, parts: list[str]) -> str:
    """Texts one after another, most of them with some words exchanged, left out or added."""
    words = [word for part in parts for word in _words(part)]
    if not words:
        return ""
    others = _words(dice.choice(dice.choice(_plans() if dice.random() < 0.5 else _library())))
    for _ in range(dice.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        at = dice.randrange(len(words))
        action, word = dice.randrange(10), words[at] or " "
        if action < 5:
            alike = [other for other in others if other[0].isalpha() == word[0].isalpha() and not other.isspace()]
            words[at] = dice.choice(NUMBERS) if word[0].isdigit() else dice.choice(alike or ODD)
        elif action == 5:
            words[at] = dice.choice(ODD)
        elif action == 6:
            words[at] = ""
        elif action == 7:
            words[at : at + dice.randrange(1, 12)] = [""]
        elif action == 8:
            words.insert(at, dice.choice((word, dice.choice(words), dice.choice(CHARACTERS), dice.choice(MARKS))))
        else:
            words[at] = _misspelt(dice, word)
    return "".join(words)


def _misspelt(dice: random.Random, word: str) -> str:
    at = dice.randrange(len(word) + 1)
    return word[:at] + dice.choice(("", "x", "_", ".", "1", " ", "é", word[:1])) + word[at + dice.randrange(2) :]


@cache
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text))


@cache
def _plans() -> list[list[str]]:
    """The statements of each plan that ships and is none of the library."""
    paths = [*PLANS.glob("*.plan"), *PLANS.glob("questions/*.plan"), *PLANS.glob("rules_of_thumb/*.plan")]
    return [_statements(path.read_text(encoding="utf-8")) for path in sorted(paths)]


@cache
def _library() -> list[list[str]]:
    """The declarations of each file of the library."""
    return [_statements(text) for _, text in make._texts()]


def _statements(text: str) -> list[str]:
    return [part for part in _STATEMENT.split(text) if part and not part.startswith("#")] or [text]


# Words of the grammar

_Choice = list[tuple[bool, str]]


def derived(dice: random.Random, start: str, most: int) -> list[str]:
    """The words of a random text of a rule of the grammar, about so many at most."""
    choices, shortest, marks = _grammar()
    out: list[str] = []
    todo: list[tuple[bool, str]] = [(False, start)]
    while todo:
        is_terminal, symbol = todo.pop()
        if symbol == "_NL":
            out.append("\n")
        elif is_terminal:
            out.append(marks.get(symbol) or dice.choice(SAMPLES[symbol]))
        elif len(out) + len(todo) > most:
            todo += shortest[symbol]
        else:
            todo += dice.choice(choices[symbol])
    return out


@cache
def _grammar() -> tuple[dict[str, list[_Choice]], dict[str, _Choice], dict[str, str]]:
    """By rule what it may be made of and its shortest way to an end, both from behind; and the marks."""
    made: Any = rules()
    choices = {
        name: [choice[::-1] for choice in found if (False, "language") not in choice] for name, found in made[0].items()
    }
    shortest = {name: min(found, key=lambda choice: height(choice, heights())) for name, found in choices.items()}
    return choices, shortest, made[1]
