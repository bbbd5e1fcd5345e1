"""`llmplan examples`: the plans that ship with llmplan, to read and to start from."""

from __future__ import annotations

import textwrap

import click

from llmplan.cli import new_file, terminal
from llmplan.diagnostics.spelling import closest


@click.command()
@click.argument("name", required=False)
@click.argument("file", required=False)
def examples(name: str | None, file: str | None) -> int:
    """Lists the plans that ship with llmplan, each with its question; copies the one called NAME.

    The copy goes to FILE, by default NAME.plan; `-` prints it. No file is overwritten.
    """
    from llmplan.examples import examples as shipped

    found = {one.name: one for one in shipped()}
    if name is None:
        width = max(map(len, found))
        for one in found.values():
            question = textwrap.wrap(one.question, 78 - width) or [""]
            lines = [f"{one.name:<{width}}  {question[0]}", *(f"{'':<{width}}  {line}" for line in question[1:])]
            terminal.result("\n".join(lines) + "\n")
        terminal.result("\nCopy one: llmplan examples NAME\n")
        return 0
    name = name.removesuffix(".plan")
    if name not in found:
        near = closest(name, found)
        hint = f"; did you mean `{near[0]}`?" if near else "; `llmplan examples` lists them"
        raise click.UsageError(f"no example `{name}`{hint}")
    text = found[name].text
    target = file or f"{name}.plan"
    return new_file.write(target, text, f"; name another file: llmplan examples {name} FILE")
