"""Variations of a checked plan: the same program with other values laid over it, without parsing again."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from llmplan.check.plan import Program
from llmplan.check.program import Setting

_ABOVE = {"--set": ("--set",), "scenario": ("--set", "scenario"), "sweep": ("--set", "scenario", "sweep")}
"""By layer, the layers at least as strong, which come first in a list of settings."""


def varied(program: Program, layer: str, values: Mapping[str, Setting], over: bool = False) -> Program:
    """A program in which some inputs, entries, lets and assumptions have other values, by path.

    Settings of a layer stronger than `layer` (`--set`, `scenario`, `sweep`) stay in force, unless `over`.
    """
    settings, assumptions = dict(program.settings), dict(program.assumptions)
    for path, value in values.items():
        table = assumptions if path in assumptions else settings
        entries = list(table.get(path, ()))
        stronger = () if over else _ABOVE[layer][:-1]
        at = sum(entry[0] in stronger for entry in entries)
        table[path] = [*entries[:at], (layer, value), *entries[at:]]
    return evolve(program, settings=settings, assumptions=assumptions)
