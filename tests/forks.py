"""What a test needs to know that wants a second process."""

import os

import pytest

CORES = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}

forks = pytest.mark.skipif(not hasattr(os, "fork") or len(CORES) < 2, reason="needs a system that forks, and two cores")
