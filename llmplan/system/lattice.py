"""Integrals over uncertain values, on numpy arrays: a fixed lattice of points, refined until its error is small.

The lattice has eight parts, each spread evenly over all values together; their differences bound the error. A truth
value is followed along one of the uncertain values: between two points where it differs its turn is found by
bisection, so that the share of the line on which it is true is exact for any condition. The others are sampled. The
result is the same on every run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, Protocol

import numpy as np

from llmplan.operations.chances import QUANTILE, first_primes
from llmplan.system.arrays import Array, operate

PARTS = 8
"""The parts of the lattice."""

TOLERANCE = 0.002
"""The error to which a probability is refined."""

MOST = 2**20
"""The most points at which one integral is evaluated."""

CHUNK = 2**18
"""The most numbers in an array."""

Step = tuple[str, tuple[int, ...], Any]
"""An operation, the places of its arguments, and its table."""


class Program(Protocol):
    """The integrand, see `llmplan.system.integral.Integral`."""

    @property
    def kind(self) -> Literal["mean", "truth", "quantile"]: ...
    @property
    def bands(self) -> tuple[bool, ...]: ...
    @property
    def constants(self) -> tuple[str, ...]: ...
    @property
    def steps(self) -> tuple[Step, ...]: ...
    @property
    def root(self) -> int: ...


_HALVINGS = 24
_EDGE = 1e-7  # the share beyond the ends of a line


def row(value: float) -> Array:
    return np.array([value], np.float64)


def over(integral: Program, args: Sequence[Array]) -> Array:
    """The values of an integral for arrays of arguments, which broadcast."""
    shaped = np.broadcast_arrays(*(np.asarray(arg, np.float64) for arg in args))
    rows, places = np.unique(np.stack([arg.ravel() for arg in shaped], axis=1), axis=0, return_inverse=True)
    found, _ = integrate(integral, list(rows.T))
    return np.asarray(found[places.ravel()].reshape(shaped[0].shape))


def integrate(integral: Program, args: Sequence[Array]) -> tuple[Array, Array]:
    """The values of an integral for rows of arguments, and bounds on their errors."""
    count = len(args[0]) if args else 1
    values, errors = np.zeros(count), np.zeros(count)
    with np.errstate(all="ignore"):
        if integral.kind == "quantile":
            for at in range(count):
                values[at] = _quantile(integral, [arg[at : at + 1] for arg in args])
            return values, errors
        estimate, points = (_mean, _points) if integral.kind == "mean" else (_along_lines, _line_points)
        pending, level = np.arange(count), 0
        while len(pending):
            size = math.prod(points(integral, level))
            for part in _split(pending, max(1, CHUNK // size)):
                parts, counted = estimate(integral, [arg[part] for arg in args], level)
                values[part] = np.round(parts.mean(axis=1), 9)
                # Where the parts interlock, together they are better than any by more than their number's root.
                interlocked = len(integral.bands) == 1 or (len(integral.bands) == 2 and ~counted)
                errors[part] = 3.0 * parts.std(axis=1) / np.where(interlocked, PARTS**0.75, PARTS**0.5)
            if size >= MOST:
                break
            pending, level = pending[errors[pending] > TOLERANCE], level + 1
    return np.clip(values, 0.0, 1.0), errors


def _split(rows: Array, most: int) -> Iterator[Array]:
    for begin in range(0, len(rows), most):
        yield rows[begin : begin + most]


def _lattice(dimensions: int, count: int) -> list[Array]:
    """The coordinates of a lattice of points: PARTS rows of so many.

    In one or two dimensions the parts interlock along the first. In more each is the same lattice, moved: along the
    first dimension by a number of its own, so that the differences between the parts show their errors, and along each
    other one to where the part before it ends. There all parts together leave no gap that is much wider than their
    points are apart, in which the tail of a band could lie unseen by all of them.
    """
    index, part = np.arange(count)[None, :], np.arange(PARTS)[:, None]
    between = (index + (part + 0.5) / PARTS) / count
    if dimensions == 1:
        return [between]
    steps = [1.0 / count, *(math.sqrt(prime) for prime in first_primes(dimensions - 1))]
    moves = [2.0 ** (1.0 / 3.0), *(count * step for step in steps[1:])]
    found = [(0.5 / count + index * step + part * move) % 1.0 for step, move in zip(steps, moves)]
    return found if dimensions > 2 else [between, found[1]]


def _drawn(band: bool, share: Array) -> Array:
    """The values of a variable: the shares themselves, or the deviates of Student's t below which they lie."""
    if not band:
        return share
    root = np.sqrt(4.0 * share * (1.0 - share))
    return np.copysign(2.0 * np.sqrt(np.maximum(0.0, np.cos(np.arccos(root) / 3.0) / root - 1.0)), share - 0.5)


def _run(integral: Program, variables: Sequence[Array], args: Sequence[Array]) -> Array:
    """The values of the root."""
    last = {place: at for at, (_, places, _) in enumerate(integral.steps) for place in places}
    values: dict[int, Array] = dict(enumerate(variables))
    for text in integral.constants:
        values[len(values)] = np.asarray(float(text))
    for arg in args:
        values[len(values)] = arg
    first = len(values)
    for at, (op, places, table) in enumerate(integral.steps):
        values[first + at] = np.asarray(operate(op, [values[place] for place in places], table))
        for place in set(places):
            if last[place] == at and place != integral.root:
                del values[place]
    return values[integral.root]


def _points(integral: Program, level: int) -> tuple[int, int]:
    """The parts of the lattice, and the points of each."""
    return PARTS, 32 << 2 * level


def _mean(integral: Program, args: Sequence[Array], level: int) -> tuple[Array, Array]:
    """The means of a number over the parts of the lattice, and whether only points are counted, by row."""
    _, count = _points(integral, level)
    points = _lattice(len(integral.bands), count)
    variables = [_drawn(band, point) for band, point in zip(integral.bands, points)]
    found = _run(integral, variables, [arg[:, None, None] for arg in args])
    found = np.broadcast_to(found, (len(args[0]) if args else 1, PARTS, count))
    parts = np.where(np.isnan(found), 0.0, found).mean(axis=2)
    return parts, np.ones(len(parts), bool)


def _line_points(integral: Program, level: int) -> tuple[int, int, int]:
    """The parts of the lattice, the lines of each, and the points of each line."""
    others = len(integral.bands) - 1
    if not others:
        return PARTS, 1, 2 + (256 << 2 * level)
    return (PARTS, 32 << level, 2 + (32 << level)) if others == 1 else (PARTS, 64 << 2 * level, 2 + 32)


def _along_lines(integral: Program, args: Sequence[Array], level: int) -> tuple[Array, Array]:
    """The shares of the parts of the lattice where a condition is true, and whether only points are counted, by row."""
    _, count, steps = _line_points(integral, level)
    along = _line(integral, args) if len(integral.bands) > 2 else 0
    return _on_lines(integral, args, along, count, steps - 2)


def _line(integral: Program, args: Sequence[Array]) -> int:
    """The variable along which a condition turns most often."""
    first = [arg[:1] for arg in args]
    turns = [_on_lines(integral, first, along, 32, 8, only=True)[1][0] for along in range(len(integral.bands))]
    return turns.index(max(turns))


def _on_lines(
    integral: Program, args: Sequence[Array], along: int, count: int, steps: int, only: bool = False
) -> tuple[Array, Array]:
    """As `_along_lines`, with so many lines along one variable and steps on each; or only how often it turns."""
    rest = [band for at, band in enumerate(integral.bands) if at != along]
    line, others = integral.bands[along], len(rest)
    # The steps of each line begin elsewhere, so that what lies between two points is met on other lines.
    *coordinates, begins = _lattice(others + 1, count)
    points = [_drawn(band, share) for band, share in zip(rest, coordinates)]
    inner = (np.arange(steps) + begins[:, :, None]) / steps
    edge = np.full((PARTS, count, 1), _EDGE)
    shares = np.concatenate([edge, inner, 1.0 - edge], axis=2)
    variables = [point[:, :, None] for point in points]
    variables.insert(along, _drawn(line, shares))
    rows = len(args[0]) if args else 1
    found = _run(integral, variables, [arg[:, None, None, None] for arg in args])
    true = np.broadcast_to(found == 1.0, (rows, PARTS, count, steps + 2))
    here, there = true[..., :-1], true[..., 1:]
    turns = here != there
    ends = shares.copy()
    ends[..., 0], ends[..., -1] = 0.0, 1.0
    widths = np.diff(ends, axis=2)
    if only:
        return begins, turns.mean(axis=(1, 2, 3))
    beside = np.zeros_like(turns)
    for apart in (1, 2):
        beside[..., apart:] |= turns[..., :-apart]
        beside[..., :-apart] |= turns[..., apart:]
    # Where it turns in steps near one another it may turn more than once in one: points are counted then, each for the
    # step around it, and no turn is followed.
    counted = (turns & beside).any(axis=(1, 2, 3))
    followed = turns & ~counted[:, None, None, None]
    total = np.where(
        counted[:, None, None], true[..., 1:-1].mean(axis=3), (np.where(turns, 0.5, here) * widths).sum(axis=3)
    )
    at = np.nonzero(followed)
    if len(at[0]):
        low, high = shares[at[1:]], shares[:, :, 1:][at[1:]]
        first = here[at]
        drawn = [point[at[1], at[2]] for point in points]
        given = [arg[at[0]] for arg in args]

        def test(share: Array) -> Array:
            at_share = [*drawn[:along], _drawn(line, share), *drawn[along:]]
            return np.asarray(_run(integral, at_share, given) == 1.0)

        turn = _turn(test, low, high, first)
        begin, end = ends[at[1:]], ends[:, :, 1:][at[1:]]
        part = np.where(first, turn - begin, end - turn)
        np.add.at(total, at[:3], part - 0.5 * (end - begin))
    return np.asarray(total.mean(axis=2)), counted


def _turn(test: Callable[[Array], Array], low: Array, high: Array, first: Array) -> Array:
    """Where a truth value turns between two shares at which it differs."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        same = test(middle) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return 0.5 * (low + high)


@lru_cache(maxsize=4)
def _draws(bands: tuple[bool, ...]) -> list[Array]:
    """The values of variables at the points of a lattice for a quantile; they take longer than most programs."""
    points = _lattice(len(bands), QUANTILE // PARTS)
    return [_drawn(band, point) for band, point in zip(bands, points)]


def _quantile(integral: Program, args: Sequence[Array]) -> float:
    """The least value such that a share of the points of a lattice is not above it."""
    share, *rest = args
    if not 0.0 < share[0] < 1.0:
        return math.nan
    variables = _draws(tuple(integral.bands))
    found = np.broadcast_to(_run(integral, variables, rest), variables[0].shape).ravel().astype(np.float64)
    number = min(len(found) - 1, int(share[0] * len(found)))
    value = np.partition(np.where(np.isnan(found), np.inf, found), number)[number]
    return float(value) if np.isfinite(value) else math.nan
