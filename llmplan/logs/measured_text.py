"""The `measured` statement that says what a log says, as a person would write it: a line each with its place, above
them what was left out, below what was not found."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from llmplan.escape import visible_line
from llmplan.logs.losses import between
from llmplan.logs.pooled import speed_of
from llmplan.logs.readings import STEP, Reading, waited
from llmplan.logs.summary import Piece
from llmplan.units import amount

_REASONS = {
    "first": ("first record", "first records"),
    "skipped": ("record with skipped steps", "records with skipped steps"),
    "interval": ("longer interval", "longer intervals"),
    "save": ("record with a save", "records with a save"),
    "evaluation": ("record with an evaluation", "records with an evaluation"),
    "outlier": ("outlier", "outliers"),
}
_CHANGES = {
    "": "from the beginning",
    "restart": "after a restart",
    "batch": "after a change of the batch",
    "length": "after a change of the length",
    "hole": "after steps that are not in the log",
    "level": "after a change of speed that no line announces",
}
_WHAT = {"step.time": "times of steps", "memory": "memory", "part": "parts of a step"}


@frozen
class Setting:
    """An input of the run: its path, its text in a plan, and where it comes from."""

    path: str
    text: str
    note: str


def statement(name: str, settings: Sequence[Setting], readings: Sequence[Reading], log: str) -> list[str]:
    """The lines of one statement; inputs first, then readings."""
    said = [(one.path, one.text, one.note) for one in settings]
    said += [(one.name, shown(one), _noted(one, log)) for one in readings if not one.doubtful]
    names = max((len(name) for name, _, _ in said), default=0)
    lines = [(f"{name.ljust(names)} = {text}", note) for name, text, note in said]
    wide = max((len(text) for text, _ in lines), default=0)
    inner = [f"    {text.ljust(wide)}  # {note}" if note else f"    {text}" for text, note in lines]
    return [f"measured {quoted(name)} {{", *inner, "}"]


def about(piece: Piece, readings: Sequence[Reading], log: str, format: str, others: Sequence[str]) -> list[str]:
    """What stands above a statement."""
    steps = "records" if not piece.numbered else "steps"
    lines = [f"# {visible_line(log)}: what {format} printed, {span(piece)}." if piece.steady.kept else
             f"# {visible_line(log)}: what {format} printed."]  # fmt: skip
    if others:
        lines.append(f"# {' and '.join(others)} told times of {steps} too, which are not read.")
    if piece.restarts:
        lines.append(_restarted(piece))
    if piece.steady.left_out:
        told = [_left(*one) for one in piece.steady.left_out]
        lines.append(f"# Left out: {', '.join(told)}.")
    for one in readings:
        if one.low is not None and one.high is not None and one.low < one.high:
            low, high = amount.reading(one.low / one.size), amount.reading(one.high / one.size)
            lines.append(f"# {one.name}: {low} .. {high} {one.unit} in eight of ten records.")
        if one.planned and not one.doubtful:
            planned = amount.reading(one.planned / one.size, 3)
            lines.append(f"# {one.name}: the plan says {planned} {one.unit} of this run.")
        if one.doubtful:
            lines.append(f"# Not used: {one.name} = {shown(one)}, {one.note} ({place(one.file or log, one.lines)}).")
    lines += _counted(piece)
    if piece.parts:
        parts = [f"{name} {amount.reading(value * 1000)} ms" for name, value in piece.parts.items()]
        lines.append(f"# Parts of a step, as printed: {', '.join(parts)}.")
    return lines + _beside(piece, readings)


def _beside(piece: Piece, readings: Sequence[Reading]) -> list[str]:
    """What a run spends beside its computing: in its steps, or between them."""
    step = next((one.value for one in readings if one.name == STEP), None)
    waits = None if step is None else waited(piece, step)
    lines = (
        [] if waits is None else [f"# Each step waits {amount.reading(waits, 3)} s for its data, which {STEP} holds."]
    )
    passed = None if step is None else between(piece)
    if passed is not None:
        lines.append(f"# After each step pass {amount.reading(passed, 3)} s that {STEP} does not hold, by the dates.")
    return lines


def _restarted(piece: Piece) -> str:
    """That attempts are taken together, and which of their steps count twice."""
    times = "Restarted once" if piece.restarts == 1 else f"Restarted {amount.count(piece.restarts)} times"
    text = f"# {times} and as fast as before: taken together"
    return (
        f"{text}; {amount.count(piece.repeated)} steps were done again and count again."
        if piece.repeated
        else (f"{text}.")
    )


def _counted(piece: Piece) -> list[str]:
    """Rates of arithmetic as the log counts them, which no two pieces of software do alike."""
    tflops, mfu = piece.steady.figure("tflops"), piece.steady.figure("mfu")
    told = [f"{amount.reading(tflops.mean / 1e12)} TFLOP/s of each GPU"] if tflops is not None else []
    told += [f"MFU {amount.reading(mfu.mean * 100)}%"] if mfu is not None else []
    return [f"# As the log counts, not used: {', '.join(told)}."] if told else []


def below(missing: Sequence[tuple[str, str]], unsaid: Sequence[str], piece: Piece) -> list[str]:
    """What stands below a statement: what was not found."""
    left_out = not piece.steady.kept and bool(piece.steady.left_out)
    lines = [
        f"# No time of a step: {reason(piece)}."
        if what == "step.time" and left_out
        else f"# Not in the log: {_WHAT.get(what, what)}. Printed by {switch}."
        for what, switch in missing
    ]
    if unsaid:
        lines.append(f"# Neither in the log nor in a plan: {', '.join(unsaid)}.")
        lines.append("# Write it into the statement: what that leaves out is taken from the plan that uses it.")
    return lines


def reason(piece: Piece) -> str:
    """Why a piece has no speed."""
    if any(one.rate or one.samples_rate or one.rate_per_gpu for one in piece.steady.kept):
        return "it has a rate: a time needs the batch and the length too, a rate of one GPU the number of GPUs"
    if all_skipped(piece):
        return "all its steps were skipped while the loss scale was falling, so that no step updated the weights"
    if only_first(piece):
        return "the only step is the first, which holds the start of the run"
    return "it has no time, rate or memory that a step printed"


def all_skipped(piece: Piece) -> bool:
    """Whether no step counts because they were skipped."""
    return not piece.steady.kept and any(reason == "skipped" for reason, _, _ in piece.steady.left_out)


def only_first(piece: Piece) -> bool:
    """Whether no step counts because there is none but the first."""
    return not piece.steady.kept and any(reason == "first" for reason, _, _ in piece.steady.left_out)


def described(piece: Piece, readings: Sequence[Reading]) -> str:
    """A piece in one line, to choose from."""
    speed = next((f": {shown(one)}" for one in readings if one.low is not None), "")
    batch = f", batch {amount.reading(piece.batch)}" if piece.batch else ""
    length = f", length {amount.reading(piece.length)}" if piece.length else ""
    return f"{span(piece)}{batch}{length}{speed} ({_CHANGES[piece.why]})"


def span(piece: Piece) -> str:
    """`steps 3 .. 1000`, or records where they have no numbers."""
    what = "steps" if piece.numbered else "records"
    return f"{what} {amount.reading(piece.first_step)} .. {amount.reading(piece.last_step)}"


def example(piece: Piece) -> str:
    """As `--steps` takes it."""
    return f"{amount.reading(piece.first_step)}..{amount.reading(piece.last_step)}"


def change(before: Piece, piece: Piece) -> str:
    """`55.1% slower than the one before`; empty where their steps are not the same work."""
    one, other = speed_of(before), speed_of(piece)
    if not one or not other or (before.batch, before.length) != (piece.batch, piece.length):
        return ""
    share = other / one
    by = amount.percentage(round(abs(share - 1), 2))
    return f"{by} {'slower' if share > 1 else 'faster'} than the one before"


def shown(reading: Reading) -> str:
    """A reading as a plan writes it."""
    return f"{amount.reading(reading.value / reading.size)} {reading.unit}"


def place(log: str, lines: tuple[int, int]) -> str:
    """`run.log:118 .. 1402`."""
    first, last = lines
    name = visible_line(log)
    return name if not first else f"{name}:{first}" if first == last else f"{name}:{first} .. {last}"


def quoted(text: str) -> str:
    """A text of the plan language."""
    escaped = visible_line(text).replace("\\", "\\\\").replace('"', '\\"').replace("{", "\\{")
    return f'"{escaped}"'


def _noted(reading: Reading, log: str) -> str:
    return place(reading.file or log, reading.lines) + (f", {reading.note}" if reading.note else "")


def _left(reason: str, count: int, longest: float | None) -> str:
    one, many = _REASONS[reason]
    text = f"{amount.count(count)} {one if count == 1 else many}"
    return text if longest is None else f"{text} (up to {amount.reading(longest)} s)"


def bus(links: Sequence[tuple[float, int]], log: str) -> str:
    """What a test of links found, in the words of a plan."""
    values = sorted(value for value, _ in links)
    middle = values[len(values) // 2]
    lines = (links[0][1], links[-1][1])
    return f"# A reduction reached {amount.reading(middle / 1e9)} GB/s on the bus of each GPU ({place(log, lines)})."
