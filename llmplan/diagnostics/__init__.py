"""Diagnostics: what can be wrong with a plan, as records, and how it is shown."""

import importlib.util
import sys

from llmplan.diagnostics.record import Diagnostic as Diagnostic
from llmplan.diagnostics.record import Edit as Edit
from llmplan.diagnostics.record import Hint as Hint
from llmplan.diagnostics.record import Label as Label

_STAGES = ("syntax", "names", "units", "system", "solving", "files", "command", "config", "lint")


def _on_first_use(stage: str) -> None:
    """Makes a stage's module load when the first of its mistakes is made: a valid plan needs none of them."""
    name = f"{__name__}.{stage}"
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None
    loader = importlib.util.LazyLoader(spec.loader)
    spec.loader = loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    setattr(sys.modules[__name__], stage, module)


for _stage in _STAGES:
    _on_first_use(_stage)
