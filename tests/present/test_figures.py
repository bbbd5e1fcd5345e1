"""Figures: written once, by one module; a text of an author, a version and a date stay as they are."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

import llmplan
from llmplan import api
from llmplan.emit.render import render
from llmplan.present import screen
from llmplan.present.context import Context
from llmplan.present.words import words_of
from llmplan.units import amount
from llmplan.units.amount import Amount
from tests.present.answers import BASE, PLANS, context, solved

PACKAGE = Path(llmplan.__file__).parent
OUTSIDE = ("units", "syntax", "operations")
"""The formatter; what reads numbers from plans; names of operations."""

WAYS = {
    "a format of digits": r"""\{[^{}"']*:[-+ ,<>^0-9]*\.?[0-9]*[eEfgGn%,]\}|%\.?[0-9]*[fge]\b""",
    "a rounded number as a text": r"(?<![\w.])(?:str|repr)\(\s*round\(|\{\s*round\([^{}]*,[^{}]*\)\s*\}",
    "a number from a text": r"(?<![\w.])float\(\s*[\w.\[\]]*text|\.replace\(\s*[\"'],[\"']\s*,\s*[\"'][\"']\s*\)",
    "a pattern of numbers": r"""re\.\w+\([^)\n]*\\d[^)\n]*[.,][^)\n]*\\d""",
    "the formatter of digits": r"\bunits\.format import\b",
    "a unit cut from a text": r"""\.(?:r?partition|split)\(["'] (?:\.\. )?["']\)""",
}
"""How a number becomes a text, or a text a number, elsewhere than in `units/amount.py`."""

ALLOWED = {
    ("advice/levers.py", "a format of digits"),  # results that are compared as they are read
    ("advice/requirement_curve.py", "a format of digits"),  # round values of the input beside the answer
    ("check/hints.py", "a unit cut from a text"),  # of a rate as written, to be written with a label
    ("diagnostics/syntax.py", "a number from a text"),  # of a literal with commas, to be written without
    ("logs/number.py", "a number from a text"),  # what logs print, with commas and letters, millions of times
    ("logs/number.py", "a pattern of numbers"),
    ("solve/closed_form/print.py", "a format of digits"),  # coefficients of a formula
    ("system/proposals.py", "a pattern of numbers"),  # of a value that is proposed, as the author would write it
    ("system/lattice.py", "a number from a text"),  # constants of a compiled expression
    ("emit/exclusive.py", "a format of digits"),  # seconds that a process waits, in an error
    ("present/charts/records.py", "a format of digits"),  # ticks of an axis, rounded to themselves
    ("present/svg/elements.py", "the formatter of digits"),  # coordinates of a drawing, and ticks
    ("present/svg/elements.py", "a number from a text"),
    ("present/charts/memory.py", "the formatter of digits"),  # bars that share their decimals
    ("present/charts/step.py", "the formatter of digits"),
}


def ways(text: str) -> set[str]:
    return {name for name, way in WAYS.items() if re.search(way, text)}


def test_no_other_module_writes_numbers_or_reads_them_from_texts() -> None:
    used = {
        (path.relative_to(PACKAGE).as_posix(), way)
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in OUTSIDE
        for way in ways(path.read_text(encoding="utf-8"))
    }
    assert used == ALLOWED


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ('return f"{value:.4g} s"', "a format of digits"),
        ('return f"{100 * share:+.1f} %"', "a format of digits"),
        ('return f"{count:,}"', "a format of digits"),
        ('return "%.2f" % value', "a format of digits"),
        ("return str(round(value, 2))", "a rounded number as a text"),
        ('return f"{round(value, 1)} s"', "a rounded number as a text"),
        ('return f"{value:.0%}"', "a format of digits"),
        ('return float(text.replace(",", ""))', "a number from a text"),
        ('_NUMBER = re.compile(r"\\d+(?:\\.\\d+)?")', "a pattern of numbers"),
        ('digits, _, unit = text.partition(" ")', "a unit cut from a text"),
        ("from llmplan.units.format import number", "the formatter of digits"),
    ],
)
def test_the_known_ways_are_told(line: str, way: str) -> None:
    assert way in ways(line)


TEXTS = (
    "driver 550.5423 with CUDA 12.8456 has a bug",
    "since 2024-01-31, RFC 9110.25 and 1.23456e7 or 12,345.678",
    "v0.19.8765, 10.0.0.1234, 3.14159 and -0.00012345",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_of_an_author_is_never_changed(text: str) -> None:
    plan = f"""## {text}
{BASE.replace("gpus = 128", "gpus = 8")}
model {{ name = "m" }}
prefer driver: hardware.gpus >= 16 because "{text}" else "{text}"
require holds: hardware.gpus >= 4 because "{text}" else "{text}"
require fails: hardware.gpus >= 1_000 because "{text}" else "{text}"
waive heads_divide because "{text}"
sweep hardware.gpus in [8, 16]
scenario "{text}" {{ hardware.price = 2 USD/GPU/hour }}
""".replace('\nmodel { name = "m" }', "")
    solution = api.solve("a.plan", text=plan, tables=True)
    assert solution.status == "infeasible", [one.message for one in solution.diagnostics]
    files, problems = render(solution)
    assert not problems
    said = screen.render(Context(solution, words_of()), 4_000)
    shown = re.sub(r"[\\`]", "", files["report.md"])
    assert said.count(text) >= 3 and shown.count(text) >= 5
    numbers = set(re.findall(r"\d[\d.,-]*\d", text))
    rounded = {
        f"{float(number):.{digits}g}" for number in numbers if re.fullmatch(r"\d+\.\d+", number) for digits in (3, 4)
    }
    assert {
        number
        for number in rounded - numbers
        if re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d.,]*\d)", shown + said)
    } == set()


class Recorder:
    """What is written of each amount, by its value, measure, unit and precision."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.texts: set[str] = set()
        self.units: dict[tuple[object, ...], set[str]] = defaultdict(set)
        split, exact = Amount._split, Amount.exact

        def recorded(one: Amount, digits: int, whole: bool) -> tuple[str, str]:
            text, unit = split(one, digits, whole)
            self.texts.add(text)
            if not one.unit.fixed:
                self.units[one.value, one.measure, one.unit, digits, whole].add(f"{text} {unit}")
            return text, unit

        def whole(one: Amount) -> str:
            self.texts.add(exact(one).partition(" ")[0])
            return exact(one)

        monkeypatch.setattr(Amount, "_split", recorded)
        monkeypatch.setattr(Amount, "exact", whole)
        for name in ("count", "share", "deviation", "percentage", "percent"):
            self._follow(monkeypatch, name)

    def _follow(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        from llmplan.answer.schema import advice, charts, requirements, values
        from llmplan.present import words

        original = getattr(amount, name)

        def recorded(*args: object) -> str:
            text = str(original(*args))
            self.texts.add(text.rstrip(" %"))
            return text

        modules = [amount, advice, charts, requirements, values, *vars(words.en).values()]
        for module in modules:
            if getattr(module, name, None) is original:
                monkeypatch.setattr(module, name, recorded)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name != "alone" else name for name in PLANS]
)
def test_every_figure_of_screen_and_report_is_an_amount_and_has_one_text(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each number with decimals is written by `units/amount`, or quoted from a text of the plan or the library."""
    answer = solved(name)
    texts = repr(answer)
    recorder = Recorder(monkeypatch)
    said = screen.render(context(name), 100)
    said += render(answer)[0].get("report.md", "") if name != "alone" else ""
    figures = set(re.findall(r"(?<![\w.,-])\d[\d,]*\.\d+(?![\w.])", said))
    written = {text.lstrip("+-−").partition(" ")[0].rstrip("%TBMe") for text in recorder.texts}
    assert figures or name == "alone"
    assert {figure for figure in figures - written if figure not in texts} == set()
    assert {key: texts for key, texts in recorder.units.items() if len(texts) > 1} == {}
