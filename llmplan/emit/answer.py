"""The answer in one sentence: which machines do what, in how long, and whether it fits.

Input: a solution. Output: a sentence built from the values that exist. Like the templates, and unlike the stages
before, it knows the library's names; unknowns that no other part mentions are added by name.
"""

from __future__ import annotations

import math

from llmplan.solution import RequirementResult, Solution
from llmplan.units.format import number

_NAMES = {
    "parallelism.tensor": "tensor parallelism",
    "parallelism.pipeline": "pipeline parallelism",
    "parallelism.context": "context parallelism",
    "parallelism.expert": "expert parallelism",
    "parallelism.zero_stage": "ZeRO stage",
    "training.micro_batch": "micro-batch",
}


def answer(solution: Solution) -> str:
    """One sentence without a line break; for an infeasible plan, why and the nearest one."""
    return " ".join(_answer(solution).splitlines())


def _answer(solution: Solution) -> str:
    if solution.status == "error":
        return f"{solution.plan} was not solved."
    said: set[str] = set()
    job = _job(solution, said)
    rest = f"{_settings(solution, said)}{_price(solution)}{_verdict(solution)}"
    sentence = f"{job or _subject(solution, said)}{rest}".removeprefix(", ").removeprefix("with ")
    if solution.status == "solved":
        if not job:
            return _without_job(solution, sentence)
        # A name keeps its spelling.
        start = sentence[0].upper() if sentence.startswith(("training ", "a ", "the ", "one ")) else sentence[0]
        return f"{start}{sentence[1:]}."
    failed = [result for result in solution.requirements if result.holds is False]
    names = " and ".join(f"`{name}`" for name in solution.conflict)
    together = " together" if len(solution.conflict) > 1 else ""
    broken = "; ".join(dict.fromkeys(_broken(result) for result in failed))
    nearest = "; ".join(part for part in (sentence, broken) if part)
    none = "No plan was found that satisfies" if solution.partly else "No plan satisfies"
    return f"{none} {names}{together}. The nearest plan: {nearest}."


def _broken(result: RequirementResult) -> str:
    """A requirement that the nearest plan violates, with its values."""
    if result.values.startswith("undefined") or result.otherwise:
        return result.case
    return f"violates `{result.name}`" + (f" ({result.values})" if result.values else "")


def _without_job(solution: Solution, sentence: str) -> str:
    """The answer of a plan that neither trains nor serves: its unknowns, or the values that it shows."""
    if any(unknown.asked for unknown in solution.unknowns):
        return f"Solved: {sentence}."
    rows = [row.value if len(solution.shown) == 1 else f"{row.text} = {row.value}" for row in solution.shown]
    found = ", ".join(rows) or sentence
    return f"Nothing to solve{': ' if found else ''}{found}."


def verdict(solution: Solution) -> str:
    """`fits`, `tight` or `does not fit`; empty if the memory was not computed."""
    fits = _requirement(solution, "fits")
    if fits is None or fits.holds is None:
        return ""
    if not fits.holds:
        return "does not fit"
    return "fits" if fits.verdict in ("safe", None) else "tight"


def _job(solution: Solution, said: set[str]) -> str:
    machines, several = _machines(solution, said)
    model, what = _model(solution, said)
    tokens = _text(solution, "dataset.tokens", said)
    on = f" on {tokens}" if tokens else ""
    time = _text(solution, "time", said)
    spread = solution.values["time"].spread if time else ""
    if spread:
        time = f"{time} ({spread})"
    elif time and _calendar(solution):
        time = f"about {_calendar(solution)} ({time} as planned)"
    elif time and solution.values["time"].band:
        time = f"{time} ({solution.values['time'].band} in eight of ten)"
    if machines and time:
        return f"{machines} train{'' if several else 's'} {what}{on} in {time}"
    memory = _text(solution, "memory.total", said)
    if machines and memory and model:
        return f"{what} on {machines} needs {memory} per GPU"
    answering = _answering(solution, what, said)
    if answering:
        return answering
    flops = _text(solution, "train_flops", said)
    if flops:
        return f"training {what}{on} takes {flops}" + (f" on {machines}" if machines else "")
    return ""


def _calendar(solution: Solution) -> str:
    """The time on the calendar with its band, to two digits: `36 days, 20 .. 57 in eight of ten`."""
    wall = solution.values.get("wall_time")
    if wall is None or not wall.band or not wall.text:
        return ""
    low, high = (_rough(text) for text in wall.band.split(" .. "))
    return f"{_rough(wall.text)}, {low} .. {high} in eight of ten"


def _rough(text: str) -> str:
    """`36.02 days` to two digits."""
    amount, _, unit = text.partition(" ")
    return f"{number(float(amount.replace(',', '')), 2)} {unit}".rstrip()


def _subject(solution: Solution, said: set[str]) -> str:
    """What a plan without a job is about."""
    machines, _ = _machines(solution, said)
    model, what = _model(solution, said)
    return " on ".join(part for part in (what if model else "", machines) if part)


def _answering(solution: Solution, what: str, said: set[str]) -> str:
    """What accelerators serving queries do; empty where the plan says nothing about serving."""
    queries = _number(solution, "serving.queries_per_minute")
    gpus = _number(solution, "serving.gpus" if queries is None else "hardware.gpus")
    gpu, latency = _text(solution, "hardware.gpu", said), _text(solution, "serving.latency", set())
    if gpus is None or not latency:
        return ""
    rate = "queries" if queries is None else f"{number(queries)} queries per minute"
    said.add("hardware.gpus")
    bound = "" if queries is None else " (a lower bound: full batches, and no query waits)"
    return f"{number(gpus)} {gpu} serve{'' if gpus != 1 else 's'} {rate} with {what}, each in {latency}{bound}"


def _machines(solution: Solution, said: set[str]) -> tuple[str, bool]:
    gpus = _number(solution, "hardware.gpus")
    gpu = _text(solution, "hardware.gpu", said)
    if gpus is None:
        return (f"one {gpu}", False) if gpu else ("", False)
    said.add("hardware.gpus")
    several = gpus != 1
    name = gpu or ("GPUs" if several else "GPU")
    nodes, per_node = _number(solution, "hardware.nodes"), _number(solution, "hardware.gpus_per_node")
    if nodes is None or per_node is None or nodes <= 1:
        return f"{number(gpus)} {name}", several
    said |= {"hardware.nodes", "hardware.gpus_per_node"}
    return f"{number(gpus)} {name} ({number(nodes)} nodes of {number(per_node)})", several


def _model(solution: Solution, said: set[str]) -> tuple[str, str]:
    """The model's name if it has one, and what to call it."""
    name = _text(solution, "model", said)
    total = _text(solution, "model.params_total", said) or _text(solution, "model.params", said)
    said |= {"model.params", "model.params_total"}
    asked = any(unknown.asked and unknown.path.startswith("model.") for unknown in solution.unknowns)
    if name and not asked:
        name = f"{name}{_overridden(solution, 'model')}"
        return name, name
    return (total, f"a model of {total}") if total else ("", "the model")


def _overridden(solution: Solution, kind: str) -> str:
    """` with 48 layers`: what a plan says otherwise of the entry that it chooses."""
    said = [
        f"{value.text} {name.partition('.')[2].replace('_', ' ')}"
        for name, value in solution.values.items()
        if name.startswith(f"{kind}.") and value.role == "input" and any(other.layer == "entry" for other in value.others)
    ]
    return f" with {', '.join(said)}" if said else ""


def _settings(solution: Solution, said: set[str]) -> str:
    """The utilisation, and whatever was asked and not yet said."""
    settings = []
    mfu = _number(solution, "mfu")
    if mfu is not None and "time" in said:
        said.add("mfu")
        settings.append(f"at {number(100 * mfu, 3)}% MFU")
    asked = [unknown for unknown in solution.unknowns if unknown.asked and unknown.path not in said]
    chosen = [f"{_words(unknown.path)} {unknown.value.text}" for unknown in asked]
    if chosen:
        settings.append(f"with {', '.join(chosen)}")
    return "".join(f", {setting}" for setting in settings)


def _words(path: str) -> str:
    return _NAMES.get(path) or path.rpartition(".")[2].replace("_", " ")


def _price(solution: Solution) -> str:
    cost = _text(solution, "cost", set())
    spread = solution.values["cost"].spread if cost else ""
    return (f", for {cost}" if cost else "") + (f" ({spread})" if spread else "")


def _verdict(solution: Solution) -> str:
    word = verdict(solution)
    fits = _requirement(solution, "fits")
    if not word or fits is None:
        return ""
    total, there = _number(solution, "memory.total"), _number(solution, "gpu.memory")
    if total is None or there is None:
        return f"; {word}"
    spare = there - (_number(solution, "hardware.memory_reserve") or 0.0) - total
    amount = f"{number(round(abs(spare) / 1e9, 3), 3)} GB"
    if word == "does not fit":
        return f"; does not fit: {amount} over"
    amount += " to spare" if spare >= 0 else " over"
    return f"; fits with {amount}" if word == "fits" else f"; tight: fits with a chance of {fits.chance_text}, {amount}"


def _requirement(solution: Solution, name: str) -> RequirementResult | None:
    return next((result for result in solution.requirements if result.name == name), None)


def _number(solution: Solution, name: str) -> float | None:
    found = solution.values.get(name)
    if found is None or not isinstance(found.value, (int, float)) or not math.isfinite(found.value):
        return None
    return found.value


def _text(solution: Solution, name: str, said: set[str]) -> str:
    """How a value reads, noted as said; empty if there is none."""
    found = solution.values.get(name)
    if found is None or found.value is None:
        return ""
    said.add(name)
    return found.text
