"""The page of decorators: the table that the check of annotations reads, as Markdown."""

from __future__ import annotations

from llmplan.check.decorators import TABLE, Decorator

_NOTICE = "<!-- Written by `python docs/generate.py` from llmplan/check/decorators.py: change that, not this page. -->"


def decorators() -> str:
    """Each decorator as written, where it stands, the sorts of its arguments and its meaning."""
    lines = [
        "# Decorators", "", _NOTICE, "",
        "What may stand above a declaration, a field, a formula or an entry. [Index](README.md)", "",
        "Another place, number or sort of arguments, and a name that nothing has, are E0310.", "",
        "| decorator | at | arguments | meaning |", "|---|---|---|---|",
    ]  # fmt: skip
    return "\n".join([*lines, *map(_row, TABLE.values())]) + "\n"


def _row(decorator: Decorator) -> str:
    everywhere = "any declaration" if len(decorator.on) > 3 else ", ".join(f"`{place}`" for place in decorator.on)
    sorts = [sort.value for sort in decorator.takes]
    if decorator.more is not None:
        sorts.append(f"any number of {'further arguments: ' if sorts else 'arguments: '}{decorator.more.value}")
    return f"| `{decorator.example}` | {everywhere} | {'; '.join(sorts) or 'none'} | {decorator.meaning} |"
