"""Give torchtitan a stand-in for triton, which it imports and only GPUs need, in every process of a run; watch the run.

Python imports this as it starts, where PYTHONPATH has its folder. PyTorch must have seen before that there is no
triton.
"""

import importlib
import runpy
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path

PROGRAMS = Path(__file__).parents[1]


class Triton(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "torchtitan":
            sys.meta_path.remove(self)
            for asking in ("torch._dynamo", "torch._inductor.runtime.triton_compat"):
                importlib.import_module(asking)
            runpy.run_path(str(PROGRAMS / "stand_ins.py"))["empty"]("triton", "triton.language")


sys.meta_path.insert(0, Triton())
runpy.run_path(str(PROGRAMS / "watched" / "sitecustomize.py"))
