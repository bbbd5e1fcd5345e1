"""What logs measure, as a plan that people read and other plans use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

from llmplan.escape import visible_line
from llmplan.logs import measured_text
from llmplan.logs.served import of_a_server
from llmplan.run_inputs import NEEDED, NEEDED_OF_SERVER
from llmplan.units import amount

if TYPE_CHECKING:
    from llmplan.measured_run import Run


def of(runs: Sequence[Run]) -> str:
    """The text of a plan: a statement for each run, below the entries of models that no other plan has."""
    blocks = list(dict.fromkeys(run.entry for run in runs if run.entry))
    names: set[str] = set()
    for run in runs:
        assert run.piece is not None and run.heard.format is not None
        others = [one.name for one in run.heard.others]
        lines = measured_text.about(run.piece, run.readings, run.file, run.heard.format.name, others)
        if len(attempts := {one.attempt for one in run.pieces}) > 1:
            lines.append(f"# Of {amount.count(len(attempts))} attempts over these steps the last.")
        lines += [f"# Of the same run, read together: {visible_line(one)}." for one in run.with_]
        if run.heard.broken:
            lines.append("# The log ends in the middle.")
        if (failure := run.heard.telling.common.failure) is not None:
            lines.append(f"# The log ends with a failure at line {failure.line}.")
        lines += [measured_text.bus(run.links, run.file)] if run.links else []
        if any(not one.doubtful for one in run.readings):
            name = next(one for one in _numbered(run.name) if one not in names)
            names.add(name)
            lines += measured_text.statement(name, run.settings, run.readings, run.file)
            said = {one.path for one in run.settings}
            needed = NEEDED_OF_SERVER if any(of_a_server(one) for one in run.readings) else NEEDED
            lines += measured_text.below(run.missing, [path for path in needed if path not in said], run.piece)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _numbered(name: str) -> Iterator[str]:
    """The name, then with numbers: logs of the same name in several folders."""
    yield name
    for number in count(2):
        yield f"{name}-{number}"
