"""Every message of the language, as the command line prints it: `CODE_what.plan` beside `CODE_what.txt`.

`LLMPLAN_UPDATE=1` rewrites the texts. A plan whose first line is `# --set PATH=VALUE`, `# --scenario NAME` or
`# --no-waive` is solved with that.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path

import pytest
from attrs import evolve

from llmplan import api
from llmplan.diagnostics import Diagnostic, pages, render_text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PLANS = sorted(path for path in HERE.glob("[EW]*.plan"))


def options(plan: Path) -> dict[str, object]:
    first = plan.read_text(encoding="utf-8").partition("\n")[0]
    if first.startswith("# --set "):
        path, _, value = first.removeprefix("# --set ").partition("=")
        return {"settings": [(path, value)]}
    if first.startswith("# --scenario "):
        return {"scenario": first.removeprefix("# --scenario ")}
    return {"no_waive": True} if first == "# --no-waive" else {}


def shown(diagnostic: Diagnostic) -> Diagnostic:
    """Places in the library are named without their line, which changes when the library does."""
    library = [label for label in diagnostic.others if label.span.source.library]
    notes = [f"({label.span.source.name}, at `{label.span.text}`: {label.text})" for label in library]
    span = diagnostic.span
    if span is not None and span.source.library:
        notes.insert(0, f"({span.source.name}, at `{span.text}`)")
        span = None
    others = tuple(label for label in diagnostic.others if not label.span.source.library)
    return evolve(diagnostic, span=span, others=others, notes=(*diagnostic.notes, *notes))


@functools.cache
def found_in(plan: Path) -> tuple[Diagnostic, ...]:
    name = plan.relative_to(ROOT).as_posix()
    return api.solve(name, limit=10**5, **options(plan)).diagnostics  # type: ignore[arg-type]


@pytest.fixture
def diagnostics(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "120")
    return found_in


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.stem)
def test_message(diagnostics, plan):
    found = diagnostics(plan)
    text = re.sub(r"of \d+ requirements", "of … requirements", render_text.render(map(shown, found)))
    golden = plan.with_suffix(".txt")
    if os.environ.get("LLMPLAN_UPDATE"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    assert plan.stem.partition("_")[0] in {one.code for one in found}


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.stem)
def test_form(diagnostics, plan):
    for one in diagnostics(plan):
        assert one.message == one.message.strip() and not one.message.endswith(".")
        assert "Traceback" not in one.message and " object at 0x" not in one.message
        for hint in one.hints:
            for edit in hint.edits:
                assert not edit.span.source.library


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.stem)
def test_the_first_edit_mends_it(diagnostics, plan, tmp_path):
    """Applying the first hint that is an edit makes that mistake go away."""
    found = diagnostics(plan)
    text = plan.read_text(encoding="utf-8")
    for one in found:
        edits = next((hint.edits for hint in one.hints if hint.edits), ())
        if not edits or edits[0].span.source.name.startswith("--set"):
            continue
        mended = text
        for edit in sorted(edits, key=lambda edit: -edit.span.start):
            mended = mended[: edit.span.start] + edit.text + mended[edit.span.end :]
        after = api.check(str(plan), text=mended, **options(plan))  # type: ignore[arg-type]
        same = [other for other in after if (other.code, other.message) == (one.code, one.message)]
        assert len(same) < sum((other.code, other.message) == (one.code, one.message) for other in found)


def test_every_code_has_a_message():
    codes = {code for code in pages.codes() if code.startswith(("E01", "E02", "E03", "E04", "W06"))}
    # said of files, of a machine and of logs, which no check writes, reads or looks at
    written = {"W0616", "W0617", "W0619", "W0623", "W0624", "W0629", "W0636", "W0637", "W0638", "W0639", "W0646"}
    assert codes - written == {plan.stem.partition("_")[0] for plan in PLANS}
