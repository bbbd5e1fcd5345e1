"""What one card reaches, with torch: matrix products by format, copies in its memory, its link to the host.

Input: the module torch, as it is installed. Output: figures by name, and what was left out with the reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from llmplan.bench.figure import Figure, timed
from llmplan.bench.shapes import Shape, flops

WIDTH = 16_384
"""Rows and columns of the products, where memory allows."""

COPY = 2**32
"""Bytes that are copied in the card's memory, `HOST` to and from the host."""

HOST = 2**30

_SHARE = 0.8
"""The share of free memory that may be used."""

FORMATS = ("fp32", "tf32", "fp16", "bf16", "fp8")
_BYTES = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1}


def clock(torch: Any) -> Callable[[Callable[[], None]], float]:
    """Times work on the card by its own clock."""

    def seconds(run: Callable[[], None]) -> float:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        return float(begin.elapsed_time(end)) / 1000

    return seconds


def wall(torch: Any) -> Callable[[Callable[[], None]], float]:
    """Times work that others take part in."""

    def seconds(run: Callable[[], None]) -> float:
        torch.cuda.synchronize()
        began = time.perf_counter()
        run()
        torch.cuda.synchronize()
        return time.perf_counter() - began

    return seconds


def products(torch: Any) -> tuple[dict[str, Figure], dict[str, str], int]:
    """FLOP a second of square products by format, why others are left out, and their width."""
    free = torch.cuda.mem_get_info()[0]
    width = WIDTH
    while 3 * width**2 * 4 > _SHARE * free and width > 1024:
        width //= 2
    found, left = {}, {}
    for name in FORMATS:
        try:
            with _format(torch, name):
                run = _product(torch, name, (width, width, width))
                found[name] = timed(run, clock(torch)).over(2.0 * width**3)
        except (AttributeError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
            left[name] = str(error).partition("\n")[0][:120] or type(error).__name__
        torch.cuda.empty_cache()
    return found, left, width


def layer_products(torch: Any, name: str, shapes: Mapping[str, Shape]) -> tuple[dict[str, Figure], dict[str, str]]:
    """FLOP a second of a plan's own products in one format, and why others are left out."""
    free = torch.cuda.mem_get_info()[0]
    found, left = {}, {}
    for what, shape in shapes.items():
        rows, inner, columns = shape
        if 4 * (rows * inner + inner * columns + rows * columns) > _SHARE * free:
            left[what] = "it does not fit into the card's memory"
            continue
        try:
            with _format(torch, name):
                found[what] = timed(_product(torch, name, shape), clock(torch)).over(flops(shape))
        except (AttributeError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
            left[what] = str(error).partition("\n")[0][:120] or type(error).__name__
        torch.cuda.empty_cache()
    return found, left


@contextmanager
def _format(torch: Any, name: str) -> Iterator[None]:
    """fp32 and tf32 are one type, and told apart by a switch."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def _product(torch: Any, name: str, shape: Shape) -> Callable[[], None]:
    rows, inner, columns = shape
    kinds = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
    if name == "bf16" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise NotImplementedError("the card has no bf16")
    if name in kinds:
        first = torch.randn(rows, inner, device="cuda", dtype=kinds[name])
        second = torch.randn(inner, columns, device="cuda", dtype=kinds[name])
        out = torch.empty(rows, columns, device="cuda", dtype=kinds[name])
        return lambda: torch.matmul(first, second, out=out)
    eight = torch.float8_e4m3fn
    one = torch.ones((), device="cuda", dtype=torch.float32)
    first = torch.randn(rows, inner, device="cuda", dtype=torch.bfloat16).to(eight)
    second = torch.randn(columns, inner, device="cuda", dtype=torch.bfloat16).to(eight).t()
    return lambda: torch._scaled_mm(first, second, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)


def copies(torch: Any) -> Figure:
    """Bytes a second that a copy within the card's memory reads and writes."""
    size = int(min(COPY, _SHARE * torch.cuda.mem_get_info()[0] / 2))
    first, second = (torch.empty(size, device="cuda", dtype=torch.uint8) for _ in range(2))
    figure = timed(lambda: second.copy_(first), clock(torch)).over(2.0 * size)
    torch.cuda.empty_cache()
    return figure


def host_link(torch: Any) -> Figure:
    """Bytes a second from pinned memory of the host to the card, or from it, the slower of both."""
    there = torch.empty(HOST, dtype=torch.uint8, pin_memory=True)
    here = torch.empty(HOST, device="cuda", dtype=torch.uint8)
    up = timed(lambda: here.copy_(there, non_blocking=True), clock(torch))
    down = timed(lambda: there.copy_(here, non_blocking=True), clock(torch))
    return max(up, down, key=lambda figure: figure.value).over(float(HOST))


def context(torch: Any) -> float:
    """Bytes that the driver's context takes of the card, with those of other processes."""
    free, total = torch.cuda.mem_get_info()
    return float(total - free - torch.cuda.memory_reserved())
