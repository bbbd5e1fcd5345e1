"""The names of the library that sentences and charts of an answer are about: the only place in Python that has them.

Each is a quantity, an input or a requirement of `plans/std`; a test looks each of them up in the library, so that one
that was renamed is told.
"""

from __future__ import annotations

# Quantities.
MEMORY = "memory.total"
MFU = "mfu"
STEP_TIME = "step_time"
TIME = "time"

# Inputs.
GPU = "hardware.gpu"
GPU_MEMORY = "gpu.memory"
MEMORY_RESERVE = "hardware.memory_reserve"

# Requirements.
FITS = "fits"
