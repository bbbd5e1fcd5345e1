"""`python -m llmplan.prepare`: computes what comes with an installation; its build runs this.

Writes the analysed grammar, the checked library and the readers of configurations beside the modules, where the first
run on a machine finds them (`llmplan.cache.ready`).
"""

from __future__ import annotations

from llmplan.cache import ready
from llmplan.check import library
from llmplan.read import formats
from llmplan.syntax import grammar


def main() -> None:
    """Writes them.

    Raises:
        ValueError: The library has mistakes.
        OSError: They cannot be written.
    """
    for name, result, part in (grammar.prepared(), library.prepared(), formats.prepared()):
        ready.write(ready.FOLDER, name, result, part)


if __name__ == "__main__":
    main()
