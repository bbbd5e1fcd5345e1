"""`llmplan backtest`: measured runs against what the library predicts for them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from llmplan.cli import terminal

if TYPE_CHECKING:
    from llmplan.backtest.predict import Outcome, Statistics


_TEXTS = ("id", "group", "framework")
_BLOCKS = ("model", "parallel", "measured")


@click.command()
@click.argument("cases", metavar="CASES.jsonl", type=click.Path(dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print every case and all figures as JSON.")
def backtest(cases: str, as_json: bool) -> int:
    """Predicts measured runs from their configuration and prints the errors of step time and memory."""
    records: list[dict[str, Any]] = []
    number = 0
    try:
        with open(cases, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    records.append(json.loads(line))
                    if not _is_case(records[-1]):
                        terminal.complain(f"llmplan: line {number} of {cases} is not a case: expected {_listed()}")
                        return 2
    except OSError as wrong:
        terminal.complain(f"llmplan: cannot read {cases}: {wrong.strerror}")
        return 2
    except UnicodeDecodeError:
        terminal.complain(f"llmplan: {cases} is not UTF-8")
        return 2
    except (ValueError, RecursionError) as wrong:
        what = wrong.msg if isinstance(wrong, json.JSONDecodeError) else "nested too deep or a number too long"
        terminal.complain(f"llmplan: line {number} of {cases} is not JSON: {what}")
        return 2
    from llmplan.backtest.many import predictions
    from llmplan.backtest.predict import as_json as figures

    outcomes = predictions(records)
    terminal.result(f"{json.dumps(figures(outcomes), indent=1, allow_nan=False)}\n" if as_json else _text(outcomes))
    return 0


def _is_case(case: Any) -> bool:
    return (
        isinstance(case, dict)
        and all(isinstance(case.get(name), str) for name in _TEXTS)
        and all(isinstance(case.get(name), dict) for name in _BLOCKS)
    )


def _listed() -> str:
    return f"{', '.join(_TEXTS + _BLOCKS[:-1])} and {_BLOCKS[-1]}"


def _text(outcomes: list[Outcome]) -> str:
    from llmplan.backtest.predict import apart, counted, grouped, out_of_memory, statistics

    used = counted(outcomes)
    lines: list[str] = []
    for title, name in (("step time", "step_time_s"), ("memory", "memory_gb")):
        parts = [*grouped(used, lambda o: o.group).items()]
        if name == "memory_gb":
            kinds = grouped([o for o in used if o.kind], lambda o: o.kind)
            parts += [(f"all {kind}", found) for kind, found in kinds.items()]
        parts += [("all", used), *((f"apart: {why}", found) for why, found in apart(outcomes).items())]
        lines += _table(title, [(part, c) for part, found in parts if (c := statistics(found, name))])
    seen = out_of_memory(used)
    if seen["ran_out"]:
        alarms = f"{seen['false_alarms']} false alarms in {seen['ran']}"
        lines += [f"out of memory: {seen['seen']} of {seen['ran_out']} runs caught, {alarms}", ""]
    for why, found in apart(outcomes).items():
        if found:
            lines += [f"apart, {why}: {len(found)}", *(f"  {o.id}: {o.suspect or o.inferred}" for o in found), ""]
    reasons = grouped([o for o in outcomes if o.skipped], lambda o: o.skipped or "")
    if reasons:
        lines.append(f"not expressible: {sum(map(len, reasons.values()))} of {len(outcomes)} cases")
        for reason, found in reasons.items():
            lines.append(f"  {reason}: {', '.join(o.id for o in found)}")
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(title: str, rows: list[tuple[str, Statistics]]) -> list[str]:
    if not rows:
        return [f"{title}: no case with both a prediction and a reading", ""]
    width = max(len(name) for name, _ in rows)
    lines = [f"{title:{width}}  cases  median    mean    bias   worst"]
    for name, found in rows:
        figures = f"{found.count:5}  {found.median:6.1%}  {found.mean:6.1%}  {found.bias:+6.1%}  {found.worst:+6.1%}"
        lines.append(f"{name:{width}}  {figures}  {found.worst_case}")
    return [*lines, ""]
