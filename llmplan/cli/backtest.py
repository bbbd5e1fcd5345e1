"""`llmplan backtest`: measured runs compared with their predictions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llmplan.cli import terminal

if TYPE_CHECKING:
    from llmplan.backtest.predict import Outcome
    from llmplan.backtest.summary import Statistics


@click.command()
@click.argument("cases", metavar="CASES.jsonl", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Print every case and all figures as JSON.")
def backtest(cases: str, as_json: bool) -> int:
    """Predicts measured runs from their inputs and prints the errors, by figure and group.

    Each line of CASES.jsonl is a run: {"id": …, "plan": {"hardware.gpus": 8, …}, "measured": {"step_time_s": 2.1}}.
    `-` reads standard input.
    """
    from llmplan.backtest import case, predict, summary

    try:
        read = case.cases(sys.stdin.buffer.read() if cases == "-" else Path(cases).read_bytes())
    except OSError as wrong:
        terminal.complain(f"llmplan: cannot read {cases}: {wrong.strerror}")
        return 2
    except case.Damaged as wrong:
        terminal.complain(f"llmplan: {cases} has no cases: {wrong}")
        return 2
    outcomes = predict.predictions(read)
    figures = json.dumps(summary.as_json(outcomes), indent=1, allow_nan=False) if as_json else ""
    terminal.result(f"{figures}\n" if as_json else _text(outcomes))
    return 0


def _text(outcomes: list[Outcome]) -> str:
    from llmplan.backtest.case import FIGURES
    from llmplan.backtest.summary import by_kind, counted, grouped, out_of_memory, statistics

    used, aside = counted(outcomes), counted(outcomes, apart=True)
    lines: list[str] = []
    for key in FIGURES:
        parts = [*grouped(used, lambda o: o.case.group).items()]
        if key == "memory_gb":
            parts += [(f"all {kind}", members) for kind, members in by_kind(used).items()]
        parts += [("all", used), ("apart", aside)]
        lines += _table(key, [(part, c, members) for part, members in parts if (c := statistics(members, key))])
    if not lines:
        lines = ["no case with both a prediction and a measured value", ""]
    seen = out_of_memory(used)
    if seen["ran_out"]:
        alarms = f"{seen['false_alarms']} false alarms in {seen['ran']}"
        lines += [f"out of memory: {seen['seen']} of {seen['ran_out']} runs caught, {alarms}", ""]
    if aside:
        lines += [f"apart: {len(aside)}", *(f"  {o.case.id}: {o.case.apart}" for o in aside), ""]
    alone = [(key, o) for o in outcomes if not o.skipped for key in o.case.measured if key in o.lacking]
    if alone:
        lines.append(f"measured, not predicted: {len(alone)} figures")
        for line in dict.fromkeys(f"{key}: {o.lacking[key]}" for key, o in alone):
            ids = (o.case.id for key, o in alone if f"{key}: {o.lacking[key]}" == line)
            lines.append(f"  {line}: {', '.join(ids)}")
        lines.append("")
    reasons = grouped([o for o in outcomes if o.skipped], lambda o: o.skipped)
    if reasons:
        lines.append(f"skipped: {sum(map(len, reasons.values()))} of {len(outcomes)} cases")
        for reason, members in reasons.items():
            lines.append(f"  {reason}: {', '.join(o.case.id for o in members)}")
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(title: str, rows: list[tuple[str, Statistics, list[Outcome]]]) -> list[str]:
    """The errors of one figure, with the share of measured values in their bands, and the bands' median width."""
    from llmplan.backtest.summary import coverage, width
    from llmplan.units.amount import ratio, share, tenths

    if not rows:
        return []
    room = max(len(title), *(len(name) for name, _, _ in rows))
    lines = [f"{title:{room}}  cases  median    mean    bias   worst  in band  width"]
    for name, c, members in rows:
        held, wide = coverage(members, title), width(members, title)
        cells = [
            f"{c.count:5}",
            *(f"{tenths(error):>6}" for error in (c.median, c.mean)),
            *(f"{tenths(error, signed=True):>6}" for error in (c.bias, c.worst)),
            f"{'–' if held is None else share(held):>7}",
            f"{'–' if wide is None else f'×{ratio(wide)}':>5}",
        ]
        figures = "  ".join(cells)
        lines.append(f"{name:{room}}  {figures}  {c.worst_case}")
    return [*lines, ""]
