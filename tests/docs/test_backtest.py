"""docs/backtest.md: its example runs, and its tables have the keys that the command reads and writes."""

from __future__ import annotations

import re
from pathlib import Path

from llmplan.backtest.case import FIGURES, KEYS, MEASURED, cases
from llmplan.backtest.predict import MEMORY, predictions
from llmplan.backtest.summary import as_json

PAGE = (Path(__file__).parents[2] / "docs" / "backtest.md").read_text(encoding="utf-8")


def test_the_example() -> None:
    block = re.search(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    layout, full, whole, lacking = predictions(cases(block[1].encode()))
    assert {"step_time_s", "memory_gb"} == layout.error.keys() and layout.fits
    assert full.case.out_of_memory and full.fits is False
    assert "gpu_hours" in whole.error and "gpu_hours" in whole.band
    assert "hardware.gpu" in lacking.skipped, "the page says what the last one lacks"


def test_every_key_is_in_the_tables() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}
    written = as_json(predictions(cases(b'{"plan": {}, "measured": {}}')))
    figures = {f"{name}.X" for name in ("predicted", "lacking", "band", "in_band", "error", "coverage", "width")}
    assert set(KEYS) | set(MEASURED) <= named
    assert {"fits", "skipped"} | set(written["overall"]) - {"coverage", "width"} <= named
    assert figures - {"band.X", "lacking.X"} <= named and {"band.X.low", "band.X.high"} <= named
    text = re.sub(r"\s+", " ", PAGE)
    for quantity in (*filter(None, (name for name, _ in FIGURES.values())), *MEMORY, *MEMORY.values(), *FIGURES):
        assert f"`{quantity}`" in text, quantity
