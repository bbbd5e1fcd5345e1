"""What is said of requirements beside whether they hold: the two sides of a comparison, and conflicts with their cures.

Part of the schema of `llmplan.solution`: nothing here computes.
"""

from __future__ import annotations

from attrs import frozen

from llmplan.advice import Relaxation


@frozen
class Compared:
    """A comparison as a row of a table: what is computed, its bound, and how far apart they are. Texts for people."""

    subject: str  # what is computed, as written: `time`
    sign: str  # `<=`, seen from the subject
    planned: str  # `28.7 days`
    limit: str  # `30 days`
    gap: str  # how far the subject is from the limit, without sign
    met: bool  # whether the subject is on the right side of the limit
    # Eight of ten measured values of the subject lie between these ends; over the author's ranges it lies in `spread`
    band: str = ""
    spread: str = ""
    asked: str = ""  # the chance that is asked for, of a requirement on one


@frozen
class Clash:
    """Requirements of an infeasible plan that no candidate meets together, whatever becomes of the others."""

    names: tuple[str, ...]
    cures: tuple[Relaxation, ...] = ()  # single changes after which they are met, the nearest first
