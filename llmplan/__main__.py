"""The command `llmplan`, also as `python -m llmplan`."""

from __future__ import annotations

import gc
import sys

LET_GROW = 100_000
"""Objects made between two looks for cycles. What a plan is compiled from is made once and stays until
the process ends, a million small objects; looking through all of them again and again finds nothing
and takes a tenth of the time."""


def main() -> None:
    """Runs the command line and exits with its code, also when it is interrupted while it is loaded."""
    gc.set_threshold(LET_GROW)
    try:
        from llmplan import cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
