"""The command `llmplan`, also as `python -m llmplan`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits with its code, also when it is interrupted while it is loaded."""
    try:
        from llmplan import cli

        cli.main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
