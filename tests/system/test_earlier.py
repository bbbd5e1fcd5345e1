"""A text checked after another one: only what differs is lowered, and what is said is the same."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from llmplan import api, frontend
from llmplan.diagnostics import Diagnostic
from llmplan.system.lower import Lowering
from llmplan.system.names import Names
from tests.thorough import examples

PLAN = """model "llama-7b"
dataset { tokens = 1T, sequence_length = 2048 }
hardware { gpu = "A100-SXM4-80GB", gpus = ? }
parallelism { tensor = ? in [1, 2, 4, 8], zero_stage = ? in 0..3 }
training { global_batch = 4M tokens, micro_batch = ?, recompute = ? }
let most = 30 days
require deadline: time <= most
minimize hardware.gpus
emit deepspeed
"""


@pytest.fixture(autouse=True)
def nothing_checked_yet() -> Iterator[None]:
    frontend._latest.clear()
    yield
    frontend._latest.clear()


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[Names]:
    """The names of each lowering from the start of a test."""
    found: list[Names] = []
    real = Lowering.__init__

    def init(self: Lowering, *args: object, **options: object) -> None:
        real(self, *args, **options)  # type: ignore[arg-type]
        if not options.get("draws"):  # one with uncertain values is beside another lowering
            found.append(self.names)

    monkeypatch.setattr(Lowering, "__init__", init)
    return found


@pytest.mark.parametrize(
    ("old", "new", "share"),
    [
        ("30 days", "31 days", 0.1),
        ("model", "# a line more\nmodel", 0.1),
        ("\nminimize hardware.gpus", "\nminimize cost", 0.2),
        ("in 0..3", "in 1..3", 0.7),
        ("A100-SXM4-80GB", "H100-SXM5-80GB", 0.9),
    ],
)
def test_only_what_differs_is_lowered(plans, lowered, old, new, share):
    assert plans.check(PLAN) == []
    lowered.clear()
    assert plans.check(PLAN.replace(old, new)) == []
    assert len(lowered) == 2  # one for the values, one for the system
    assert sum(names.lowered for names in lowered) < share * sum(len(names.values) for names in lowered)


def test_what_is_lowered_is_what_a_lowering_from_nothing_gives(plans, lowered):
    """Names, with what they are made from and whether all candidates need them, whatever the text before."""
    changed = (
        PLAN.replace("30 days", "20 days")
        .replace("micro_batch = ?", "micro_batch = 2")
        .replace("llama-7b", "llama-13b")
    )
    plans.check(PLAN)
    plans.check(changed)
    after = lowered[-1]
    frontend._latest.clear()
    plans.check(changed)
    new = lowered[-1]
    assert after.traces == new.traces
    assert list(after.values) == list(new.values) and after.needed == new.needed
    assert list(after.checks) == list(new.checks) and after.reasons == new.reasons


def test_a_mistake_is_seen_and_the_next_text_is_not_taken_for_it(plans):
    assert plans.check(PLAN) == []
    assert plans.codes(PLAN.replace("micro_batch = ?", "micro_batch = 1.5")) == ["E0307"]
    assert plans.codes(PLAN.replace("gpus = ?", "gpus = 0")) == ["E0305"]
    assert plans.check(PLAN) == []


@pytest.mark.parametrize(
    "line",
    [
        'catalog gpu "mine" like "A100-SXM4-80GB" { memory = 90 GiB }',
        "quantity extra: Real = 2 * hardware.gpus",
        "scenario long { dataset.tokens = 2T }",
        "sweep dataset.tokens in [1T, 2T]",
    ],
)
def test_a_text_that_declares_is_lowered_from_nothing(plans, lowered, line):
    assert plans.check(PLAN) == []
    lowered.clear()
    plans.check(f"{PLAN}{line}\n")
    assert lowered[0].still is None


def test_a_graph_does_not_grow_for_ever(plans, monkeypatch, lowered):
    plans.check(PLAN)
    monkeypatch.setattr(frontend, "MOST_NODES", 10)
    plans.check(PLAN.replace("30 days", "31 days"))
    assert not frontend._latest


TEXTS = [
    path.read_text(encoding="utf-8")
    for folder in ("plans", "tests/errors", "tests/questions")
    for path in sorted((Path(__file__).resolve().parents[2] / folder).rglob("*.plan"))
    if not {"std", "catalog", "configs"} & set(path.parts) and path.stat().st_size < 5000
]


def edited(text: str, rnd: random.Random) -> str:
    """A text after an edit as people make them: a number, a line less, a line of another plan, two lines swapped."""
    lines = text.split("\n")
    at, other = rnd.randrange(len(lines)), rnd.randrange(len(lines))
    match rnd.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines[at:at] = [rnd.choice(rnd.choice(TEXTS).split("\n"))]
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case _:
            number = rnd.choice(["1", "3", "8", "64", "1000", "?"])
            lines[at] = re.sub(r"\b\d+\b", number, lines[at], count=1)
    return "\n".join(lines)


def shown(found: list[Diagnostic]) -> list[object]:
    """Diagnostics without the texts that they stand in, each of which is one object a check."""
    return [(d.code, d.severity, d.message, d.label, d.notes, d.span and (d.span.start, d.span.end)) for d in found]


@pytest.mark.slow
def test_whatever_was_checked_before_the_same_is_said(plans):
    rnd = random.Random(7)
    for _ in range(examples(400, 0.03)):
        text = rnd.choice(TEXTS)
        for _ in range(5):
            said = shown(plans.check(text))
            kept = dict(frontend._latest)
            frontend._latest.clear()
            assert shown(plans.check(text)) == said
            frontend._latest.clear()
            frontend._latest.update(kept)
            text = edited(text, rnd)


@pytest.mark.slow
def test_only_a_check_leaves_something_behind(plans):
    api.solve(plans.path, text=PLAN)
    assert not frontend._latest
