"""Random comparisons over bands and ranges, as text and as what a sample of measured values makes of them.

What the language means by them is computed here in numpy, from `docs/language.md` alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen

T90 = 1.5332062740589438
TOLERANCE = 1e-9


def close(a, b):
    return (a == b) | (np.abs(a - b) <= TOLERANCE * np.maximum(np.abs(a), np.abs(b)))


def floor(a):
    return np.floor(a + np.abs(a) * TOLERANCE)


def divided(a, b):
    return np.where(b == 0.0, np.nan, a / np.where(b == 0.0, 1.0, b))


MEANING: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divided,
    "min": np.minimum,
    "max": np.maximum,
    "mod": lambda a, b: a - b * floor(divided(a, b)),
    "abs": np.abs,
    "ceil": lambda a: np.ceil(a - np.abs(a) * TOLERANCE),
    "floor": floor,
    "round": lambda a: np.floor(a + 0.5),
    "sqrt": np.sqrt,
    "ln": lambda a: np.log(np.where(a > 0.0, a, np.nan)),
    "^2": lambda a: a * a,
    "neg": np.negative,
    "<=": lambda a, b: (a < b) | close(a, b),
    ">": lambda a, b: (a > b) & ~close(a, b),
    "if": np.where,
}
ONE, TWO = ("abs", "ceil", "floor", "round", "sqrt", "ln", "^2", "neg"), ("+", "-", "*", "/", "min", "max")


@frozen
class Tree:
    """A name, a number, or an operation on trees."""

    op: Any
    args: tuple = ()

    def value(self, sample):
        if not self.args:
            return sample[self.op] if isinstance(self.op, str) else np.float64(self.op)
        return MEANING[self.op](*(arg.value(sample) for arg in self.args))

    def text(self):
        parts = [arg.text() for arg in self.args]
        if not parts:
            return str(self.op)
        if self.op == "if":
            return f"(if {parts[0]} then {parts[1]} else {parts[2]})"
        if self.op == "^2":
            return f"({parts[0]})^2"
        if self.op == "neg":
            return f"(-{parts[0]})"
        return f"{self.op}({', '.join(parts)})" if self.op.isalpha() else f"({parts[0]} {self.op} {parts[1]})"


@frozen
class Case:
    """Bands by name with their value and ends, ranges with theirs, and two sides."""

    bands: dict
    ranges: dict
    side: Tree
    other: Tree

    def sample(self, count, seed):
        dice = np.random.default_rng(seed)
        found = {}
        for name, (value, low, high) in self.bands.items():
            t = dice.standard_t(4, count)
            found[name] = value * np.exp(t / T90 * np.where(t > 0, np.log(high), -np.log(low)))
        for name, (low, middle, high) in self.ranges.items():
            u = dice.random(count)
            under, over = low + 2 * u * (middle - low), middle + (2 * u - 1) * (high - middle)
            found[name] = np.where(u < 0.5, under, over)
        return found

    def declared(self):
        lines = []
        for at, (name, (value, low, high)) in enumerate(self.bands.items()):
            lines += [f"quantity low{at}: Real = {low}", f"quantity high{at}: Real = {high}"]
            lines += [f"@within(low{at}, high{at})", f"quantity {name}: Real = {value}"]
        lines += [f"let {name} = {low}..{middle}..{high}" for name, (low, middle, high) in self.ranges.items()]
        return "\n".join(lines) + "\n"


def tree(dice, names, depth):
    """An expression over some names."""
    if depth == 0 or dice.random() < 0.15:
        return Tree(dice.choice(names)) if dice.random() < 0.75 else Tree(dice.choice((0.5, 1, 2, 3, 5)))
    roll = dice.random()
    if roll < 0.25:
        return Tree(dice.choice(ONE), (tree(dice, names, depth - 1),))
    if roll < 0.33:
        return Tree("mod", (tree(dice, names, depth - 1), Tree(dice.choice((2, 3, 5)))))
    if roll < 0.45:
        condition = Tree(dice.choice(("<=", ">")), (tree(dice, names, 1), tree(dice, names, 1)))
        return Tree("if", (condition, tree(dice, names, depth - 1), tree(dice, names, depth - 1)))
    return Tree(dice.choice(TWO), (tree(dice, names, depth - 1), tree(dice, names, depth - 1)))


def case(seed):
    """A comparison that holds for some of a sample and not for all."""
    dice = random.Random(seed)
    names = [f"q{at}" for at in range(dice.choice((0, 1, 1, 2, 2, 3)))]
    bands = {
        name: (round(dice.uniform(0.5, 8), 2), round(dice.uniform(0.5, 0.95), 2), round(dice.uniform(1.05, 2), 2))
        for name in names
    }
    ranges = {}
    for at in range(dice.choice((0, 0, 1, 2) if names else (1, 1, 2, 3))):
        low, middle, high = sorted(round(dice.uniform(-3, 9), 1) for _ in range(3))
        ranges[f"r{at}"] = (low, round(middle + 0.01, 2), round(high + 0.02, 2))
    while True:
        side = tree(dice, [*bands, *ranges], dice.choice((1, 2, 2, 3)))
        made = Case(bands, ranges, side, Tree(0))
        with np.errstate(all="ignore"):
            values = side.value(made.sample(2001, seed))
        known = np.sort(values[np.isfinite(values)]) if np.ndim(values) else ()
        if len(known) > 1000 and known[0] < known[-1]:
            bound = float(f"{known[int(len(known) * dice.uniform(0.05, 0.95))]:.4g}")
            other = Tree(bound) if bound >= 0 else Tree("neg", (Tree(-bound),))
            return Case(bands, ranges, side, other)
