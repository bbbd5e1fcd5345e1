"""A derivation as text for a terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llmplan.answer.derivation import Step
from llmplan.answer.schema.values import Citation, Origin
from llmplan.escape import visible
from llmplan.present.escape import code, markdown

_LAYERS = {
    "plan": "set in the plan",
    "used": "set in a used file",
    "entry": "from the catalog",
    "default": "default",
    "formula": "formula",
    "assumed": "assumed",
    "solved": "solved for",
    "scenario": "set by the scenario",
    "--set": "set on the command line",
}


def text(steps: Sequence[Step]) -> str:
    """Indented by depth: value, formula, the same with numbers, where it stands, sources."""
    blocks = []
    for step in steps:
        pad = "  " * step.depth
        lines = [
            f"{pad}{step.name} = {step.value}" if step.role != "requirement" else f"{pad}{step.name}: {step.value}"
        ]
        if step.doc:
            lines.append(f"{pad}    {' '.join(step.doc.split())}")
        if step.formula:
            lines.append(f"{pad}    = {step.formula}")
        if step.numbers and step.numbers != step.formula:
            lines.append(f"{pad}    = {step.numbers}")
        lines += [f"{pad}    {line}" for line in step.solved]
        if step.origin is not None:
            lines.append(f"{pad}    {origin(step.origin)}")
        lines += [f"{pad}    instead of {origin(other)}: {other.text}" for other in step.others]
        lines += [f"{pad}    source: {citation(cite)}" for cite in step.cites]
        blocks.append("\n".join(lines))
    return "\n".join(blocks) + "\n"


def as_markdown(steps: Sequence[Step]) -> str:
    """Nested lists, readable on a code-hosting site."""
    lines = []
    for step in steps:
        pad = "  " * step.depth
        lines.append(f"{pad}- **{code(step.name)}** = {markdown(step.value)}")
        inner = pad + "  "
        if step.doc:
            lines.append(f"{inner}{markdown(step.doc)}")
        if step.formula:
            lines += ["", f"{inner}    = {_one_line(step.formula)}"]
            if step.numbers != step.formula:
                lines.append(f"{inner}    = {_one_line(step.numbers)}")
            lines.append("")
        lines += [f"{inner}{markdown(line)}" for line in step.solved]
        notes = [markdown(origin(step.origin))] if step.origin is not None else []
        notes += [f"instead of {markdown(origin(other))}: {code(other.text)}" for other in step.others]
        notes += [f"source: {markdown(citation(cite))}" for cite in step.cites]
        if notes:
            lines.append(f"{inner}*{'; '.join(notes)}*")
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def as_json(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """One object a step."""
    return [
        {
            "depth": step.depth,
            "name": step.name,
            "value": step.value,
            "role": step.role,
            "doc": step.doc,
            "formula": step.formula or None,
            "numbers": step.numbers or None,
            "solved": list(step.solved),
            "origin": _origin(step.origin) if step.origin else None,
            "instead_of": [_origin(other) for other in step.others],
            "cites": [citation(cite) for cite in step.cites],
            "reads": list(step.reads),
        }
        for step in steps
    ]


def _origin(found: Origin) -> dict[str, str]:
    return {"layer": found.layer, "place": found.place, "text": found.text}


def origin(found: Origin) -> str:
    """`set in the plan, plans/a.plan:7`."""
    words = _LAYERS.get(found.layer, found.layer)
    return f"{words}, {found.place}" if found.place else words


def citation(cite: Citation) -> str:
    return f"{cite.source}, {cite.place}" if cite.place else cite.source
