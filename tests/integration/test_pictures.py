"""Pictures of real reports in a real browser: every text lies within its picture and apart from the others."""

import json
import re
import subprocess
from html import unescape
from pathlib import Path

import pytest

from tests.integration.real import tool
from tests.present.test_real_reports import PLANS, files

pytestmark = pytest.mark.slow

PAGE = """<!doctype html><meta charset="utf-8"><body style="margin:0">{pictures}<pre id="seen"></pre><script>
const seen = []
for (const picture of document.querySelectorAll("svg")) {{
    const box = picture.getBoundingClientRect()
    const texts = [...picture.querySelectorAll("text")].map(text => {{
        const own = text.getBoundingClientRect()
        return [text.textContent, own.left - box.left, own.top - box.top, own.right - box.left, own.bottom - box.top]
    }})
    seen.push({{name: picture.parentNode.id, width: box.width, height: box.height, texts}})
}}
document.getElementById("seen").textContent = JSON.stringify(seen)
</script>
"""

LEADING = 0.16
"""Share of a line's height above its letters, and below them, in which there is nothing to be seen."""


def test_texts_are_within_and_apart(tmp_path: Path) -> None:
    pictures = {f"{plan}/{name}": text for plan in PLANS for name, text in files(plan).items() if name.endswith(".svg")}
    assert {name.partition("/")[2] for name in pictures} >= {"deadline.svg", "memory.svg", "step.svg"}
    page = tmp_path / "page.html"
    drawn = "".join(f'<div id="{name}">{text}</div>' for name, text in pictures.items())
    page.write_text(PAGE.format(pictures=drawn), encoding="utf-8")
    for picture in _in_a_browser(page, tmp_path / "profile"):
        texts = [(words, left, *_letters(top, bottom), right) for words, left, top, right, bottom in picture["texts"]]
        assert texts, picture["name"]
        for words, left, top, bottom, right in texts:
            assert words and left >= 0 and top >= 0 and right <= picture["width"] and bottom <= picture["height"], (
                picture["name"],
                words,
            )
        for at, (words, left, top, bottom, right) in enumerate(texts):
            for other, begin, above, below, end in texts[at + 1 :]:
                apart = right <= begin or end <= left or bottom <= above or below <= top
                assert apart, (picture["name"], words, other)


def _letters(top: float, bottom: float) -> tuple[float, float]:
    return top + LEADING * (bottom - top), bottom - LEADING * (bottom - top)


def _in_a_browser(page: Path, profile: Path) -> list[dict]:
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={profile}",
        "--dump-dom",
    ]
    done = subprocess.run(
        [tool("chromium", "it is no Python package"), *options, page.as_uri()],
        check=True,
        capture_output=True,
        text=True,
        timeout=240,
    )
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stdout[-500:]
    return json.loads(unescape(found[1]))
