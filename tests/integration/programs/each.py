"""Run a program of this folder for many arguments, each in a fork of one process that has imported what it needs.

Importing takes seconds, reading a file hundredths; and what one case patches or prints another never sees.

Usage: each.py PROGRAM MODULES CASES.json, modules separated by commas, a list of lists of arguments.
It prints a list: what the last line of each case says, or `{"error": …}`.
"""

import importlib
import io
import json
import os
import runpy
import sys
from pathlib import Path

program, modules, cases = sys.argv[1:]
for module in modules.split(","):
    importlib.import_module(module)


def tried(arguments):
    """One case, in a process of its own."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.close(reads)
        said = io.StringIO()
        sys.argv, sys.stdout = [program, *arguments], said
        try:
            runpy.run_path(str(Path(__file__).parent / program), run_name="__main__")
            result = said.getvalue().strip().splitlines()[-1]
        except BaseException as error:  # noqa: BLE001 -- whatever it raises is the answer
            result = json.dumps({"error": f"{type(error).__name__}: {error}"})
        with os.fdopen(writes, "w") as pipe:
            pipe.write(result)
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        result = pipe.read()
    os.waitpid(child, 0)
    return json.loads(result or '{"error": "it ended without a word"}')


print(json.dumps([tried(arguments) for arguments in json.loads(Path(cases).read_text())]))
