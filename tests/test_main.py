"""Ctrl-C and SIGTERM from the command's first line to the end of the interpreter: 130 and 143 or the code of finished
work, no traceback, no process and no half-written file.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are of POSIX")

HEAD = "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
TAIL = "from llmplan.__main__ import main\nprint('ready', flush=True)\nmain()\n"
NOW = "os.kill(os.getpid(), signal.SIGINT)"


@pytest.fixture
def started(tmp_path: Path):
    """Starts `llmplan check` on a sound plan, with some code before it."""
    (tmp_path / "a.plan").write_text(
        'model "llama-7b"\nhardware { gpu = "A100-SXM4-80GB", gpus = 8 }\nshow memory.weights\n'
    )

    def start(code: str = "", command: str = "check") -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", HEAD + code + TAIL, command, "a.plan"],
            cwd=tmp_path,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return start


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    _, said = process.communicate(timeout=60)
    return process.returncode, said.strip()


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        pytest.param(
            f"class Finder:\n def find_spec(self, name, *rest):\n  if name == {module!r}: {NOW}\n"
            "sys.meta_path.insert(0, Finder())\n",
            130,
            id=f"while {module} is loaded",
        )
        for module in ("llmplan.cli", "llmplan.api", "llmplan.check.checker")
    ]
    + [
        pytest.param(f"import atexit; atexit.register(lambda: {NOW})\n", 0, id="when the work is done"),
        pytest.param(
            f"class Late:\n def __del__(self): {NOW}\nsys.late = Late()\n",
            0,
            id="while the interpreter ends",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "from llmplan import api\nclass Freed:\n"
            f" def __del__(self): {NOW}\n"
            "def check(*rest, **more):\n freed = Freed()\n del freed\n return []\napi.check = check\n",
            130,
            id="while an object is freed",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            f"from llmplan import api\ndef check(*rest, **more):\n try: {NOW}\n finally: {NOW}\napi.check = check\n",
            130,
            id="twice",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "from llmplan import api\n"
            f"def check(*rest, **more):\n try: {NOW}\n except KeyboardInterrupt: raise ImportError('half')\n"
            "api.check = check\n",
            130,
            id="where it ends as another error",
        ),
        pytest.param(
            f"signal.signal(signal.SIGINT, signal.SIG_IGN)\nimport atexit\nfrom llmplan import api\n{NOW}\n",
            0,
            id="ignored",
        ),
    ],
)
def test_at_moments_of_all_sorts(started, code, wanted):
    assert ended(started(code)) == (wanted, b"")


@pytest.mark.quick(1)
@pytest.mark.parametrize("part", [pytest.param(n / 40, marks=[pytest.mark.slow] * (n % 16 > 0)) for n in range(40)])
def test_at_any_moment(started, part):
    process = started(command="solve")
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    sleep(0.001 + 1.2 * part)
    process.send_signal(signal.SIGINT)
    code, said = ended(process)
    assert code in (0, 130) and b"Traceback" not in said and b"KeyboardInterrupt" not in said, said


TERMINATED = NOW.replace("SIGINT", "SIGTERM")


@pytest.mark.parametrize(
    "code",
    [
        (
            "from llmplan import api\n"
            f"def check(*rest, **more):\n try: {TERMINATED}\n finally: print('undone')\napi.check = check\n"
        ),
        pytest.param(
            "class Finder:\n def find_spec(self, name, *rest):\n"
            f"  if name == 'llmplan.cli': print('undone', flush=True); {TERMINATED}\n"
            "sys.meta_path.insert(0, Finder())\n",
            id="during start-up",
        ),
    ],
)
def test_termination_undoes_what_is_half_done(started, code):
    process = started(code)
    said, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint.strip()) == (143, b"") and b"undone" in said


def test_ctrl_c_does_not_interrupt_what_a_termination_undoes(started):
    code = (
        "from llmplan import api\n"
        f"def check(*rest, **more):\n try: {TERMINATED}\n finally:\n  {NOW}\n  print('undone')\napi.check = check\n"
    )
    process = started(code)
    said, complaint = process.communicate(timeout=60)
    assert (process.returncode, complaint.strip()) == (143, b"") and b"undone" in said


def test_termination_leaves_no_fork(started):
    """The fork that computes levers would otherwise go on by itself."""
    code = (
        "from llmplan.background import Fork\nfrom llmplan import api\nimport time\n"
        "def check(*rest, **more):\n with Fork(lambda: time.sleep(60)) as aside:\n"
        f"  print(aside._pid, flush=True); {TERMINATED}\napi.check = check\n"
    )
    process = started(code)
    said, _ = process.communicate(timeout=60)
    fork = int(said.split()[1])
    assert process.returncode == 143
    with pytest.raises(ProcessLookupError):
        os.kill(fork or 1 << 22, 0)  # on one core none is started


@pytest.mark.quick(1)
@pytest.mark.parametrize("part", [pytest.param(n / 8, marks=pytest.mark.slow) for n in range(8)])
def test_a_terminated_compile_writes_all_or_nothing(started, tmp_path, part):
    process = started(command="compile")
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    sleep(0.5 + 1.5 * part)
    process.send_signal(signal.SIGTERM)
    code, said = ended(process)
    assert code in (0, 1, 143) and b"Traceback" not in said, said
    assert code == 0 or sorted(path.name for path in tmp_path.iterdir() if path.name != "cache") == ["a.plan"]


def test_memory_that_lacks_outside_of_the_command_line_is_said():
    text = """
import llmplan.__main__ as command
def lacks():
    raise MemoryError
command._run = lacks
command.main()
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "llmplan: there is not enough memory\n")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a limit of the address space")
@pytest.mark.parametrize("more", [8, 48, 72])
def test_memory_that_numpy_lacks_is_said(more):
    """OpenBLAS would end the process with a message of its own, and exit code 1."""
    text = f"""
import resource
import llmplan.__main__ as command
def loads():
    import sys
    sys.meta_path.insert(0, command._Room())
    with open("/proc/self/statm") as sizes:
        now = int(sizes.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + {more} * 2**20,) * 2)
    import numpy
command._run = loads
command.main()
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "llmplan: there is not enough memory\n")
