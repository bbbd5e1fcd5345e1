"""What was measured on a machine as a plan: values of inputs, each with what it comes from, and what was left out.

Input: figures, and what the catalog says of the card. Output: the text of a plan; nothing of it is in a file of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from attrs import field, frozen

from llmplan.bench.card import HOST
from llmplan.bench.figure import Figure
from llmplan.bench.host import Card
from llmplan.bench.links import COMMAND, Link
from llmplan.bench.shapes import Shape, flops
from llmplan.units import amount

TERA, GIGA = 1e12, 1e9
_DENSE = ("bf16", "fp16")


@frozen
class Known:
    """What the catalog says of a card, in base units; None for what it does not."""

    name: str
    peaks: Mapping[str, float] = field(factory=dict)
    bandwidth: float | None = None
    intranode: float | None = None
    internode: float | None = None


@frozen
class Bench:
    """What was measured; None or empty for what was not.

    Attributes:
        pairs: Bytes a second of copies between two GPUs, by the numbers of both.
        held: Bytes of the card that the first collective takes.
        layers: The plan's own products, of which `shapes` are the sizes and `layers_in` the format.
        left: What was left out, with the reason.
    """

    card: str = ""
    cards: tuple[Card, ...] = ()
    topology: tuple[str, ...] = ()
    products: Mapping[str, Figure] = field(factory=dict)
    width: int = 0
    layers: Mapping[str, Figure] = field(factory=dict)
    shapes: Mapping[str, Shape] = field(factory=dict)
    layers_in: str = ""
    copy: Figure | None = None
    host_link: Figure | None = None
    context: float | None = None
    links: tuple[Link, ...] = ()
    pairs: Mapping[tuple[int, int], Figure] = field(factory=dict)
    held: float | None = None
    ranks: int = 0
    one_node: bool = True
    processors: int = 0
    memory: float | None = None
    disk: float | None = None
    left: tuple[tuple[str, str], ...] = ()

    @property
    def measured(self) -> bool:
        """Whether anything of a card or of its links was."""
        of_card = self.copy or self.host_link or self.context or self.held
        return bool(of_card or self.products or self.layers or self.links or self.pairs)


def rate(value: float, unit: str) -> str:
    """`648 TFLOP/s`, `2.91 TB/s`, `52.1 GB/s`."""
    size, prefix = (TERA, "T") if value >= TERA else (GIGA, "G")
    return f"{amount.reading(value / size, 3)} {prefix}{unit}"


def of(bench: Bench, known: Known | None) -> str:
    """The text of a plan."""
    lines = list(_head(bench))
    lines += ["", *_values(bench, known)]
    lines += ["", *_told(bench, known)]
    lines += [f"# Left out: {what}, {why}." for what, why in bench.left]
    if bench.topology:
        lines += ["", "# nvidia-smi topo -m", *(f"# {line}" for line in bench.topology)]
    return "\n".join(lines).replace("\n\n\n", "\n\n").rstrip("\n") + "\n"


def _head(bench: Bench) -> Iterable[str]:
    named = bench.card or (bench.cards[0].name if bench.cards else "")
    yield (
        f"# Measured by `llmplan bench`: {named}."
        if named
        else "# Measured by `llmplan bench`: a machine without a GPU."
    )
    for number, card in enumerate(bench.cards):
        told = f"{card.memory}, driver {card.driver}, power cap {card.power}, {card.clock} at most, {card.link}"
        yield f"# Card {number}: {card.name}, {told}."
    memory = "" if bench.memory is None else f", {amount.binary(bench.memory)} of memory"
    yield f"# {amount.count(bench.processors)} processors{memory}."


def _values(bench: Bench, known: Known | None) -> Iterable[str]:
    """The values that plans take over."""
    ceiling = ceiling_of(bench, known)
    if ceiling is not None:
        name, share = ceiling
        figure = bench.products[name]
        assert known is not None
        text = f"{rate(figure.value, 'FLOP/s')} of {rate(known.peaks[name], 'FLOP/s')} in {name}"
        product = f"{amount.count(bench.width)}² products"
        yield f"gpu.matmul_ceiling = {_share(share)}  # measured: {text}, {product}, {_spread(figure)}"
    if bench.host_link is not None:
        figure = bench.host_link
        size = amount.binary(float(HOST))
        yield f"hardware.host_link = {_gigabytes(figure.value)}/GPU  # measured: copies of {size}, {_spread(figure)}"
    reduced = next((link for link in bench.links if link.name == "all-reduce"), None)
    if reduced is not None:
        where = "intranode" if bench.one_node else "internode"
        named = f"hardware.{where}_bandwidth = {_gigabytes(reduced.bandwidth)}/GPU / step.{where}_efficiency"
        said = f"all-reduce over {amount.count(bench.ranks)} GPUs, latency {_micro(reduced.latency)}"
        yield f"{named}  # measured: {said}"


def _told(bench: Bench, known: Known | None) -> Iterable[str]:
    """What is told beside them."""
    for name, figure in bench.products.items():
        peak = known.peaks.get(name) if known is not None else None
        share = f", {amount.percentage(figure.value / peak)} of its peak" if peak else ""
        yield f"# Products in {name}: {rate(figure.value, 'FLOP/s')}{share}, {_spread(figure)}."
    yield from _layers(bench)
    if bench.copy is not None:
        peak = known.bandwidth if known is not None else None
        share = f", {amount.percentage(bench.copy.value / peak)} of the data sheet" if peak else ""
        yield f"# Memory: {rate(bench.copy.value, 'B/s')} in a copy{share}, {_spread(bench.copy)}."
    if bench.context is not None:
        yield f"# The driver and what else runs hold {amount.binary(bench.context)} of the card."
    if bench.held is not None:
        yield f"# The first collective holds {amount.binary(bench.held)} of the card."
    yield from _links(bench)
    if bench.disk is not None:
        told = "one process on this node; all nodes together may be faster"
        yield f"# Disk: {rate(bench.disk, 'B/s')}, {told}: `hardware.storage_bandwidth`."


def _links(bench: Bench) -> Iterable[str]:
    """Collectives, each with its times by size, and copies between two GPUs."""
    for link in bench.links:
        spread = f"spread {amount.percentage(link.spread)} at most"
        yield f"# {link.name}: {rate(link.bandwidth, 'B/s')} a GPU, latency {_micro(link.latency)}, {spread}."
        times = [f"{_message(size)} {_micro(figure.value)}" for size, figure in link.times]
        yield f"# {link.name} by size: {', '.join(times)}."
    for (one, other), figure in bench.pairs.items():
        yield f"# GPU {one} to GPU {other}: {rate(figure.value, 'B/s')} in a copy, {_spread(figure)}."


def _layers(bench: Bench) -> Iterable[str]:
    """The plan's own products, each and all together, beside the square one."""
    square = bench.products.get(bench.layers_in)
    for name, figure in bench.layers.items():
        size = " × ".join(amount.count(side) for side in bench.shapes[name])
        share = "" if square is None else f", {amount.percentage(figure.value / square.value)} of the square's"
        speed = f"{rate(figure.value, 'FLOP/s')}{share}, {_spread(figure)}"
        yield f"# The plan's {name}, {size} in {bench.layers_in}: {speed}."
    if bench.layers and square is not None:
        work = sum(flops(bench.shapes[name]) for name in bench.layers)
        whole = work / sum(flops(bench.shapes[name]) / figure.value for name, figure in bench.layers.items())
        yield f"# All of them: {rate(whole, 'FLOP/s')}, {amount.percentage(whole / square.value)} of the square's."


def ceiling_of(bench: Bench, known: Known | None) -> tuple[str, float] | None:
    """The 16-bit format of the best products, and their share of its peak."""
    peaks = known.peaks if known is not None else {}
    shares = {
        name: bench.products[name].value / peaks[name] for name in _DENSE if name in bench.products and name in peaks
    }
    return max(shares.items(), key=lambda pair: pair[1]) if shares else None


def slow(bench: Bench, known: Known | None) -> Sequence[tuple[str, float, float]]:
    """Bandwidths below half of what the catalog says: what it is, and both."""
    if known is None:
        return []
    reduced = next((link.bandwidth for link in bench.links if link.name == "all-reduce"), None)
    pairs = [
        ("memory", None if bench.copy is None else bench.copy.value, known.bandwidth),
        ("link in a node", reduced if bench.one_node else None, known.intranode),
        ("network", None if bench.one_node else reduced, known.internode),
    ]
    return [(name, value, usual) for name, value, usual in pairs if value and usual and value < usual / 2]


def left_without_torch() -> list[tuple[str, str]]:
    """What only torch measures."""
    why = "torch is not installed: `pip install torch`"
    return [(what, why) for what in ("matrix products", "copies in memory", "the host's link", "links between GPUs")]


def left_links() -> tuple[str, str]:
    """Links want a process for each card."""
    return "links between GPUs", f"they are measured under torchrun: `{COMMAND}`"


def _share(value: float) -> str:
    return f"{amount.in_plan(Fraction(round(1000 * value), 10))}%"


def _gigabytes(value: float) -> str:
    return f"{amount.reading(value / GIGA, 3)} GB/s"


def _message(size: int) -> str:
    unit, name = (2**20, "MiB") if size >= 2**20 else (2**10, "KiB")
    return f"{amount.reading(size / unit)} {name}"


def _micro(seconds: float) -> str:
    return f"{amount.reading(seconds * 1e6, 3)} µs"


def _spread(figure: Figure) -> str:
    return f"median of {amount.count(figure.count)}, spread {amount.percentage(figure.spread)}"
