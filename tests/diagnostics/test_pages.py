"""Every code has a page, every page a code, and the examples on the pages do what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from llmplan.diagnostics import pages

PACKAGE = Path(pages.__file__).resolve().parents[2]
RAISED = {
    code
    for path in PACKAGE.rglob("*.py")
    for code in re.findall(r"[\"\[]([EW]\d{4})[\"\]]", path.read_text(encoding="utf-8"))
}


def plans(code: str) -> list[str]:
    """The example plans on a page: the wrong one, the mended one."""
    return re.findall(r"^```plan\n(.*?)^```$", pages.page(code) or "", re.MULTILINE | re.DOTALL)


def stages(folder: Path, text: str) -> dict[str, dict[str, str]]:
    """By command, the codes and severities that it finds in a plan."""
    from llmplan import api

    path = folder / "example.plan"
    path.write_text(text, encoding="utf-8")
    found = {"check": api.check(str(path)), "solve": api.solve(str(path)).diagnostics}
    return {stage: {one.code: one.severity for one in diagnostics} for stage, diagnostics in found.items()}


def test_every_code_that_is_raised_has_a_page_and_every_page_is_raised():
    assert set(pages.codes()) == RAISED


@pytest.mark.parametrize("code", pages.codes())
def test_a_page_begins_with_its_code_and_a_title(code):
    text = pages.page(code)
    assert text is not None
    head, _, rest = text.partition("\n")
    assert head == f"# {code}: {pages.title(text)}"
    assert rest.startswith("\n") and text.endswith("\n") and "\t" not in text
    assert all(len(line) <= 110 or line.startswith("let x = (") for line in text.splitlines())


WITH_PLANS = [code for code in pages.codes() if plans(code)]


@pytest.mark.parametrize(
    "code", [pytest.param(code, marks=[pytest.mark.slow] * (at % 3 > 0)) for at, code in enumerate(WITH_PLANS)]
)
@pytest.mark.slow
def test_the_example_raises_the_code_and_the_mended_one_is_sound(code, tmp_path):
    wrong, mended = (stages(tmp_path, text) for text in plans(code))
    stage = next((stage for stage in wrong if code in wrong[stage]), None)
    assert stage is not None, wrong
    assert code not in mended[stage] and "error" not in mended[stage].values()


@pytest.mark.parametrize("code", ["E9999", "../E0101", "", "__init__"])
def test_there_is_no_page_for_anything_else(code):
    assert pages.page(code) is None
