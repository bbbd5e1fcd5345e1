"""What one log measures: its readings, with the inputs of its run."""

from __future__ import annotations

from attrs import frozen

from llmplan.answer.schema.solution import Solution
from llmplan.logs.measured_text import Setting
from llmplan.logs.reading import Heard
from llmplan.logs.readings import Reading
from llmplan.logs.summary import Piece


@frozen
class Run:
    """What one log measures.

    Attributes:
        pieces: All of them, where there are several.
        settings: The inputs of the run, of the log and of the plan.
        solution: Of the plan of the run.
        with_: The other logs of the same run from which readings are taken.
        entry: The lines of its model, where no other plan has that.
    """

    file: str
    name: str
    heard: Heard
    pieces: tuple[Piece, ...]
    piece: Piece | None
    readings: tuple[Reading, ...]
    settings: tuple[Setting, ...]
    missing: tuple[tuple[str, str], ...]
    links: tuple[tuple[float, int], ...]
    solution: Solution | None = None
    with_: tuple[str, ...] = ()
    entry: str = ""
