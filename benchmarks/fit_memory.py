"""Fits the few constants of memory in plans/std/constants.plan on measured runs, whole groups left out.

    python benchmarks/fit_memory.py [CASES.jsonl]

For each group the constants are chosen on all others, from grids of physical values, and judged on it.
Prints what the library has, what all groups together would choose, and the errors of both and of the
groups that were left out. Constants are chosen by the smallest mean error, each clipped at 30 %, of
runs of quality A and B.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

from attrs import frozen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.judging import CASES
from benchmarks.read.case import reading, settings, unsaid_recompute
from benchmarks.read.plain import measured_of
from benchmarks.read.record import Inexpressible
from llmplan.backtest.base import Base, Refused, Values
from llmplan.backtest.predict import memory

NAMES = ("driver_context", "communicators", "driver_buffers", "fragmentation")
GRID: tuple[tuple[float, ...], ...] = (
    (0.5e9, 0.75e9, 1.0e9, 1.25e9, 1.5e9),  # the driver's context
    (1.0e9, 1.5e9, 2.0e9, 2.5e9, 3.0e9),  # communicators, on several GPUs
    (34e6, 75e6, 110e6, 150e6),  # Megatron's driver_buffers
    (0.0, 0.05, 0.10, 0.15, 0.20),  # of DeepSpeed and eager modules
)
CLIP = 0.3

Constants = tuple[float, ...]


@frozen
class Row:
    """A reading, and the parts of its prediction that do not depend on the constants.

    Attributes:
        tensors: Of the stage where it was read.
        kept: What the fragmentation is a share of.
        flat: Held by the allocator beside the peak whatever the share is.
        limit: Where the allocator stops growing.
    """

    id: str
    group: str
    kind: str
    measured: float
    tensors: float
    kept: float
    flat: float
    limit: float
    megatron: bool
    fragments: bool
    several: bool
    driver_buffers: float
    share: float

    def predicted(self, constants: Constants) -> float:
        context, communicators, driver_buffers, share = constants
        allocated = self.tensors + (driver_buffers if self.megatron else self.driver_buffers)
        kept = (share if self.fragments else self.share) * self.kept
        reserved = allocated + max(0.0, min(kept + self.flat, self.limit - allocated))
        used = reserved + context + (communicators if self.several else 0.0)
        return {"tensors": self.tensors, "allocated": allocated, "reserved": reserved}.get(self.kind, used)

    def error(self, constants: Constants) -> float:
        return self.predicted(constants) / self.measured - 1


def rows(path: str | Path) -> Iterator[Row]:
    """The memory readings of quality A and B that the library can express."""
    base = Base.of()
    with open(path, encoding="utf-8") as file:
        for line in file:
            case = json.loads(line)
            measured = measured_of(case)["memory_gb"]
            if (
                measured is None
                or case.get("quality") not in ("A", "B")
                or case.get("suspect")
                or unsaid_recompute(case)
            ):
                continue
            try:
                inputs = settings(case, base.knows)
                found = base.values(inputs)
                read = reading(case)
                yield _row(
                    found,
                    case["id"],
                    case["group"],
                    read.kind,
                    measured * 1e9,
                    memory(found, read.kind, read.stage),
                    inputs,
                )
            except (Inexpressible, Refused):
                continue


def _row(
    found: Values, name: str, group: str, kind: str, measured: float, predicted: float, inputs: dict[str, str]
) -> Row:
    number = found.number
    peak = {"tensors": number("memory.total") - number("memory.context")}
    peak |= {"allocated": number("memory.allocated"), "reserved": number("memory.reserved")}
    elsewhere = predicted - peak.get(kind, number("memory.used"))  # another stage than the fullest
    kept = sum(number(f"memory.{term}") for term in ("activations", "logits", "temporary"))
    share = number("memory.fragmentation")
    try:
        limit = number("memory.usable") * number("gpu.memory")
    except Refused:
        limit = float("inf")
    framework = inputs["parallelism.framework"]
    return Row(
        name,
        group,
        kind,
        measured,
        peak["tensors"] + elsewhere,
        kept,
        number("memory.fragmented") - share * kept,
        limit,
        framework == "megatron",
        framework in ("deepspeed", "ddp"),
        number("hardware.gpus") > 1,
        number("memory.driver_buffers"),
        share,
    )


def constants() -> Constants:
    """What the library has."""
    base = Base.of()
    megatron, ddp = (base.values({"parallelism.framework": name, "hardware.gpus": "8"}) for name in ("megatron", "ddp"))
    return (
        ddp.number("memory.driver_context"),
        ddp.number("memory.communicators"),
        megatron.number("memory.driver_buffers"),
        ddp.number("memory.fragmentation"),
    )


def fit(found: Sequence[Row]) -> Constants:
    """The point of the grid with the smallest mean clipped error; on a tie the first."""
    return min(itertools.product(*GRID), key=lambda c: sum(min(CLIP, abs(row.error(c))) for row in found))


def left_out(found: Sequence[Row]) -> tuple[dict[str, float], dict[str, Constants]]:
    """The error of each row by constants chosen without its group, by the row's name; and these constants."""
    errors, chosen = {}, {}
    for group in dict.fromkeys(row.group for row in found):
        chosen[group] = fit([row for row in found if row.group != group])
        errors |= {row.id: row.error(chosen[group]) for row in found if row.group == group}
    return errors, chosen


def main(path: str | Path) -> None:
    found = list(rows(path))
    library = constants()
    together = fit(found)
    apart, without = left_out(found)
    print("constants: " + ", ".join(NAMES))
    print(f"{'library':28} {_shown(library)}")
    print(f"{'all groups':28} {_shown(together)}")
    for group, chosen in without.items():
        print(f"{'without ' + group:28} {_shown(chosen)}")
    print("\nmedian error            rows  library     all  left out")
    for title, members in _kinds(found):
        errors = [
            [abs(row.error(library)) for row in members],
            [abs(row.error(together)) for row in members],
            [abs(apart[row.id]) for row in members],
        ]
        print(f"{title:22} {len(members):5}  " + "  ".join(f"{median(e):7.2%}" for e in errors))


def _kinds(found: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    for kind in dict.fromkeys(row.kind for row in found):
        yield kind, [row for row in found if row.kind == kind]
    for group in dict.fromkeys(row.group for row in found):
        yield group, [row for row in found if row.group == group]


def _shown(constants: Iterable[float]) -> str:
    return "  ".join(f"{value:g}" for value in constants)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else CASES)
