"""The bench as a whole: what is asked for and can be measured here, beside what the catalog says of the card."""

from __future__ import annotations

import math
from collections.abc import Collection
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from attrs import evolve

from llmplan.answer.schema.solution import Solution
from llmplan.backtest.base import Base, Refused
from llmplan.bench import card, host, links, shapes, text
from llmplan.bench.text import Bench, Known

PARTS = ("matmul", "memory", "links")


def torch_of() -> Any:
    """The module torch; None where it is not installed."""
    return import_module("torch") if find_spec("torch") is not None else None


def measured(asked: Collection[str], folder: Path, torch: Any, plan: Solution | None = None) -> Bench | None:
    """Measures; None on a rank that leaves the writing to the first one.

    Args:
        asked: Of `PARTS`; all if empty.
        folder: Where a disk is written to.
        torch: The module; None where there is none.
        plan: Whose own products are measured too.
    """
    parts = set(asked) or set(PARTS)
    found = Bench(
        cards=tuple(host.cards()),
        topology=tuple(host.topology()),
        processors=host.processors(),
        memory=host.memory(),
    )
    if torch is None:
        return evolve(found, disk=host.disk(folder), left=tuple(text.left_without_torch()))
    if not torch.cuda.is_available():
        return evolve(found, disk=host.disk(folder), left=(("everything of a GPU", "torch finds none"),))
    group = links.ranks()
    found = evolve(found, card=str(torch.cuda.get_device_name(0)))
    if group is not None:
        if "links" in parts:
            of_all = links.collectives(torch, group)
            found = evolve(found, links=of_all.links, held=of_all.held, ranks=group.world, one_node=group.one_node)
        return found if group.rank == 0 else None
    left = []
    if "links" in parts:
        left = [text.left_links()]
        found = evolve(found, pairs=links.pairs(torch))
    if "memory" in parts:
        found = evolve(found, context=card.context(torch), copy=card.copies(torch), host_link=card.host_link(torch))
    if "matmul" in parts:
        products, lacking, width = card.products(torch)
        left += [(f"products in {name}", why) for name, why in lacking.items()]
        found = evolve(found, products=products, width=width)
        if plan is not None:
            of_plan, form = shapes.of_plan(plan.values), shapes.format_of(plan.values)
            layers, unmeasured = card.layer_products(torch, form, of_plan)
            left += [(f"the plan's product {name}", why) for name, why in unmeasured.items()]
            left += [] if of_plan else [("the plan's own products", "it does not say the shape of its model")]
            found = evolve(found, layers=layers, shapes=of_plan, layers_in=form)
    return evolve(found, disk=host.disk(folder), left=tuple(left))


def known(name: str) -> Known | None:
    """What the catalog says of a card by the name that it has for its driver; None where it has none of that name."""
    base = Base.of()
    scope = base.program.scope
    found = next((one for each in _names(name) if (one := _entry(scope.find_entry("gpu", each))) is not None), None)
    if found is None:
        return None
    values = base.values({"hardware.gpu": found})

    def number(path: str) -> float | None:
        try:
            value = values.number(path)
        except Refused:
            return None
        return value if math.isfinite(value) else None

    peaks = {form: peak for form in card.FORMATS if (peak := number(f"gpu.peak_{form}")) is not None}
    return Known(
        found, peaks, number("gpu.bandwidth"), number("gpu.intranode_bandwidth"), number("gpu.internode_bandwidth")
    )


def _names(name: str) -> list[str]:
    """The driver's name, then without the maker and without the kind of memory."""
    words = [word for word in name.split() if word.upper() != "NVIDIA"]
    short = [word for word in words if not word.upper().startswith(("HBM", "PCIE"))]
    return [name, " ".join(words), " ".join(short)]


def _entry(found: tuple[str | None, list[str]]) -> str | None:
    entry, near = found
    return entry or (near[0] if len(near) == 1 else None)
