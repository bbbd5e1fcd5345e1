"""Work that worker processes can import."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.hanging import ends


class Squares:
    """Gives squares, each with whether a worker did it.

    From the second part on this process waits for a worker to have begun one. `dies` makes that worker fail then.
    """

    def __init__(self, begun: Path, dies: bool = False) -> None:
        self.home = os.getpid()
        self.begun = begun
        self.dies = dies

    def part(self, number: int) -> tuple[int, bool]:
        away = os.getpid() != self.home
        if away:
            self.begun.touch()
            if self.dies:
                os._exit(1)
        elif number:
            with ends():
                while not self.begun.exists():
                    time.sleep(0.01)
        return number**2, away
