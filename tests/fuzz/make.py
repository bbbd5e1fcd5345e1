"""Makes cases: the same for the same seed and number, so that one that failed is made again by both.

Plans are mutants of those that ship and texts of the grammar, with names of the library in it. Around some of them
stand a mutated `config.json`, a mutated file of the library in a copy of it, records of measured runs, texts for
`--set`, and names of files, folders, scenarios and quantities that would do harm where somebody forgot to look. (None
has a zero byte, which no operating system lets a command be given.)
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from tests.errors.mutations import NUMBERS, ODD, PLANS, SNIPPETS, mutants
from tests.fuzz.case import Case, File, Run
from tests.syntax.test_format import SAMPLES, derived, laid_out

TESTS = Path(__file__).parents[1]

BASE = (
    'model "llama-7b"\ndataset { tokens = 1T, sequence_length = 2048 }\nhardware { gpu = "A100-SXM4-80GB", gpus = '
    "64 }\n"
    "training { global_batch = 4M tokens, micro_batch = 1, recompute = full }\n"
)

HOSTILE = (
    "\x1b[31m.plan", "a\nb.plan", "a\r.plan", "\u202enalp.plan", "\u200b.plan", "\x9b31m.plan", "-o.plan", "--json",
    "-", "--",
    "a b.plan", "'; echo x;'.plan", "$(id).plan", "`id`.plan", "{{7*7}}.plan", "{% x %}.plan", "<b>.plan", "|.plan",
    "@someone.plan",
    "%s%n.plan", "\udcff.plan", "é\U0001f600.plan", "CON.plan", "~", "~/x.plan", ".plan", "..", ".", "",
    "x" * 251 + ".plan",
    "x" * 5000, "../up.plan", "/dev/null", "/proc/self/mem", "no/such/folder.plan", "a\\b.plan", "#.plan",
    "https://example.org/x.plan", "a.plan/", "plan", "a" + "\u0301" * 90 + ".plan",
)  # fmt: skip

VALUES = (
    None, True, False, 0, 1, -1, 3, 7.5, 1e308, -1e308, 1e-320, 10**30, -(10**400), 2**53 + 1, float("nan"),
    float("inf"),
    -float("inf"), "", "x", "\x1b[2J", "\u202e", "a\nb", "{{7*7}}", "x" * 9000, "1", "llama", "bf16", [], [1],
    [[[]]], ["a", None],
    {}, {"a": {}}, {"": 0}, {"hidden_size": 1},
)  # fmt: skip


def case(seed: int, number: int) -> Case:
    """One case of a seed."""
    dice = random.Random(f"{seed}/{number}")
    sort = dice.choices(list(_SORTS), [weight for _, weight in _SORTS.values()])[0]
    made = _SORTS[sort][0](dice)
    return Case(f"{sort}, seed {seed}, number {number}", made.runs, made.files)


def _plan(dice: random.Random) -> Case:
    """A plan through one or two commands."""
    runs = tuple(_command(dice, "a.plan") for _ in range(dice.choice((1, 1, 2))))
    return Case("", runs, (_file("a.plan", _text(dice)),))


def _set(dice: random.Random) -> Case:
    """Texts for `--set` over a plan that is sound."""
    command = _command(dice, "a.plan").arguments
    given: list[str] = []
    for _ in range(dice.randrange(1, 4)):
        given += [
            "--set",
            f"{dice.choice(_paths())}{dice.choice(('=', '=', '=', ' = ', '', '=='))}{_value(dice)}",
        ]
    if command[0] == "fmt":
        command = ("check", "a.plan")
    return Case("", (Run((*command, *given)),), (_file("a.plan", dice.choice((BASE, BASE, dice.choice(_small())))),))


def _config(dice: random.Random) -> Case:
    """A model from a `config.json` in which something is not as it should be."""
    config = _damaged(dice, deepcopy(dice.choice(_configs())))
    text = json.dumps(config, ensure_ascii=dice.random() < 0.5)
    if dice.random() < 0.2:
        text = _cut(dice, text)
    plan = BASE.replace('model "llama-7b"', 'model from "config.json"')
    return Case("", (_command(dice, "a.plan"),), (_file("a.plan", plan), _file("config.json", text)))


def _library(dice: random.Random) -> Case:
    """A copy of the library with one file mutated, checked in its place; or such a file used by a plan."""
    name, text = dice.choice(_texts())
    words = _WORD.findall(text)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(words))
        words[at] = dice.choice((dice.choice(words), dice.choice(ODD), dice.choice(NUMBERS), ""))
    changed = "".join(words)
    if dice.random() < 0.5:
        files = [_file(f"plans/{other}", changed if other == name else text) for other, text in _texts()]
        return Case("", (Run(("check", f"plans/{name}")),), tuple(files))
    return Case("", (_command(dice, "a.plan"),), (_file("a.plan", f'use "b.plan"\n{BASE}'), _file("b.plan", changed)))


def _backtest(dice: random.Random) -> Case:
    """Measured runs in which something is not as it should be."""
    lines = []
    for _ in range(dice.choice((1, 1, 2, 5))):
        text = json.dumps(_damaged(dice, json.loads(dice.choice(_records()))), ensure_ascii=dice.random() < 0.5)
        lines.append(_cut(dice, text) if dice.random() < 0.1 else text)
    arguments = ("backtest", *dice.choice(((), ("--json",))), "cases.jsonl")
    return Case("", (Run(arguments),), (_file("cases.jsonl", "\n".join(lines)),))


def _names(dice: random.Random) -> Case:
    """A sound plan under a name, in a folder or with options that no sound person would choose."""
    name = dice.choice(HOSTILE)
    command = _command(dice, name).arguments
    extra: tuple[str, ...] = ()
    if command[0] in ("compile", "solve", "check"):
        option = dice.choice(("-o", "--root", "--templates", "--scenario", "--limit", "--format", "--nothing", ""))
        extra = (option, dice.choice(HOSTILE)) if option else ()
        if "-o" in extra and extra[1].startswith(("..", "/")):  # the command line may write where it likes
            extra = ()
    files = [_file("a.plan", BASE)]
    if not name.startswith(("/", "..", "~")):
        kind = dice.choice(("file", "file", "file", "folder", "link"))
        text = f'{BASE}emit deepspeed, report\nshow "{{time}}"\n'
        files.append(File(name, {"file": text, "folder": "", "link": "a.plan"}[kind].encode(), kind))
    return Case("", (Run((*command, *extra)),), tuple(files))


def _catalog(dice: random.Random) -> Case:
    """Names that the catalog does not have."""
    name = dice.choice((*HOSTILE, "A100", "llama", "gpt-3", *ODD))
    what = dice.choice(("gpus", "models", "prices", "gpu", "x"))
    return Case("", (Run(("catalog", what, *dice.choice(((), (name,))), *dice.choice(((), ("--json",))))),))


def _bytes(dice: random.Random) -> Case:
    """Bytes, and plans with bytes in them that are no text."""
    noise = bytes(dice.randrange(256) for _ in range(dice.randrange(200)))
    if dice.random() < 0.7:
        text = _text(dice).encode("utf-8", "replace")
        at = dice.randrange(len(text) + 1)
        noise = text[:at] + noise[: dice.randrange(4)] + text[at:]
    return Case("", (_command(dice, "a.plan"),), (File("a.plan", noise),))


_SORTS: dict[str, tuple[Callable[[random.Random], Case], int]] = {
    "plan": (_plan, 10),
    "set": (_set, 5),
    "config": (_config, 4),
    "library": (_library, 2),
    "backtest": (_backtest, 3),
    "names": (_names, 4),
    "catalog": (_catalog, 1),
    "bytes": (_bytes, 2),
}


def _command(dice: random.Random, plan: str) -> Run:
    """Any command for a plan, with options that it has."""
    name = dice.choice(("check", "check", "fmt", "solve", "solve", "explain", "compile", "compile", "sweep"))
    options: tuple[tuple[str, ...], ...] = {
        "check": ((), ("--format", "json"), ("--format", "sarif"), ("--format", "github")),
        "fmt": ((), ("--check",), ("--diff",)),
        "solve": ((), ("--json",), ("--limit", "1000"), ("--table",), ("--table", "--csv")),
        "explain": ((), ("--json",), ("--depth", "9"), ("--format", "markdown")),
        "compile": ((), ("--json",), ("--check",), ("--force",), ("-o", "out"), ("--table",)),
        "sweep": ((), ("--json",), ("--csv",)),
    }[name]
    after = (dice.choice((*_paths(), "time", "cost", "memory.total", *ODD)),) if name == "explain" else ()
    return Run((name, *dice.choice(options), plan, *after))


def _text(dice: random.Random) -> str:
    """A plan: a mutant, or words of the grammar, after a sound beginning or alone."""
    kind = dice.randrange(4)
    if kind == 0:
        words = [
            dice.choice(_paths()) if word in SAMPLES["NAME"] and dice.random() < 0.7 else word for word in derived(dice)
        ]
        text = laid_out(dice, words)
        return dice.choice(("", BASE)) + text
    (text,) = mutants(dice.randrange(2**60), 1)
    if kind == 1:
        text += "\n" + dice.choice((*SNIPPETS, _rule(dice), _rule(dice)))
    if dice.random() < 0.2:
        text += dice.choice(
            ("\nemit deepspeed, accelerate, report\n", "\nemit report\n", "\nemit megatron, launch, report\n")
        )
    return text


def _rule(dice: random.Random) -> str:
    """A requirement, objective, sweep or scenario of the library's names."""
    one, other = dice.choice(_paths()), dice.choice(_paths())
    sign = dice.choice(("<", "<=", "==", ">=", ">", "!="))
    return dice.choice(
        (
            f"require {one} {sign} {_value(dice)}",
            f"require r: {one} {sign} {other} * {_value(dice)} when {other} > 0",
            f"prefer {one} {sign} {_value(dice)} weight {dice.choice(NUMBERS)}",
            f"{dice.choice(('minimize', 'maximize'))} {one}",
            f"pareto {one}, {other}",
            f"sweep {one} in [{_value(dice)}, {_value(dice)}]",
            f'scenario "s" {{ {one} = {_value(dice)} }}',
            f"show {one} / {other}",
            f"assume {one} = {_value(dice)}..{_value(dice)}",
        )
    )


def _value(dice: random.Random) -> str:
    words = dice.choice(
        (ODD, NUMBERS, ("?", "? in 1..64", "? in [1, 2, 4]", "30 days", "80 GB", "none", "full", "10%..50%"))
    )
    return dice.choice(words)


def _damaged(dice: random.Random, record: dict[str, Any]) -> dict[str, Any]:
    """A record with values of its tree replaced, removed or added."""
    for _ in range(dice.randrange(1, 4)):
        at: Any = record
        while True:
            key = dice.choice(list(at)) if at else ""
            if not at or not isinstance(at[key], dict) or dice.random() < 0.2:
                break
            at = at[key]
        action = dice.randrange(8)
        if action == 0:
            at.pop(key, None)
        elif action == 1:
            at[str(dice.choice(VALUES))] = deepcopy(dice.choice(VALUES))
        else:
            at[key] = deepcopy(dice.choice(VALUES))
    return record


def _cut(dice: random.Random, text: str) -> str:
    at = dice.randrange(len(text))
    return (
        text[:at]
        + dice.choice(("", "}", '"', ",", "[" * 5000, "NaN", "\\ud800", "\x00", "1e999"))
        + text[at + dice.randrange(3) :]
    )


def _file(name: str, text: str) -> File:
    return File(name, text.encode("utf-8", "surrogatepass"))


_WORD = re.compile(r'"[^"\n]*"|[A-Za-z_][\w.]*|[0-9][\w.]*|\s+|.', re.DOTALL)


@cache
def _small() -> list[str]:
    found = [
        path.read_text(encoding="utf-8") for path in sorted((*PLANS.glob("*.plan"), *PLANS.glob("questions/*.plan")))
    ]
    return [text for text in found if len(text) < 4000]


@cache
def _texts() -> list[tuple[str, str]]:
    """The library's files, by their names in it."""
    paths = [path for part in ("std", "catalog", "configs") for path in sorted((PLANS / part).glob("*.plan"))]
    return [(path.relative_to(PLANS).as_posix(), path.read_text(encoding="utf-8")) for path in paths]


@cache
def _paths() -> list[str]:
    """Names that plans can use: fields, quantities, entries, and some that nothing defines."""
    from llmplan.check import library

    scope, _, _ = library.load()
    names = set(re.findall(r"(?m)^(?:quantity|enum|fn|require) ([a-z][\w.]*)", "\n".join(text for _, text in _texts())))
    names |= {f"{kind}.{name}" for kind, fields in scope.kinds.items() for name in fields}
    return [*sorted(names), "", ".", "a..b", "hardware", "x", "hardware.gpu.memory", "model"]


@cache
def _configs() -> list[dict[str, Any]]:
    rows = json.loads((TESTS / "load/data/configs.json").read_text(encoding="utf-8"))["rows"]
    return [row["config"] for row in rows]


@cache
def _records() -> list[str]:
    return (TESTS / "backtest/data/cases.jsonl").read_text(encoding="utf-8").splitlines()
