"""No log gives a traceback, or takes long or much memory: cut, mixed, damaged, endless, foreign ones."""

from __future__ import annotations

import gzip
import io
import random
import time

import pytest

from llmplan.calibration import Log, calibrate
from llmplan.calibration_json import as_json
from llmplan.logs.forms import formats
from llmplan.logs.opening import LONGEST, Bytes, lines
from llmplan.logs.reading import read
from tests.logs import synthetic
from tests.logs.test_formats import told
from tests.test_schemas import faults
from tests.thorough import many

TEXTS = [maker(synthetic.made(seed, 12)).text for seed, maker in enumerate(synthetic.FORMATS.values())]
TOKENS = [
    b"nan", b"inf", b"-1", b"0", b"1e999", b"9" * 400, b"\x00", b"\xff\xfe", b"\x1b[31m", b"\r", b"\n", b"\r\n", b"{",
    b'{"', b"'loss':", b"iteration ", b"step:", b"[Rank ", b"global_step=", b"[batch=", b"]:", b" ... ", b"...: (",
    b"[", b"%|",
    b"it/s", b"elapsed time per iteration (ms): ", b"brain.Event:2", b"\x1f\x8b", b'"step": ', b'"loss": ', b",", b"| ",
    b"using world size: ", b"...", b"\xe2\x80\xae", b"`", b'"; minimize cost', b"*" * 3000,
]  # fmt: skip


def mutated(seed: int) -> bytes:
    """A log with pieces cut, doubled, exchanged with those of another, and odd bytes in between."""
    draw = random.Random(seed)
    text = bytearray(draw.choice(TEXTS))
    for _ in range(draw.randrange(1, 12)):
        place = draw.randrange(len(text) + 1)
        match draw.randrange(6):
            case 0:
                text[place:place] = draw.choice(TOKENS)
            case 1:
                del text[place : place + draw.randrange(1, 400)]
            case 2:
                other = draw.choice(TEXTS)
                start = draw.randrange(len(other))
                text[place:place] = other[start : start + draw.randrange(1, 3000)]
            case 3:
                text[place : place + 1] = bytes([draw.randrange(256)])
            case 4:
                text[place:place] = text[place : place + draw.randrange(1, 3000)]
            case _:
                rows = bytes(text).split(b"\n")
                draw.shuffle(rows)
                text = bytearray(b"\n".join(rows))
    return gzip.compress(bytes(text))[: draw.randrange(20, 4000)] if draw.random() < 0.1 else bytes(text)


@pytest.mark.parametrize("part", range(10))
def test_damaged_logs(part: int) -> None:
    each = many(30, 400, 20_000)
    for seed in range(part * each, part * each + each):
        text = mutated(seed)
        start = time.process_time()
        found = told(text)
        assert time.process_time() - start < 2, seed
        assert bool(found.text) is not found.failed, seed
        assert faults("calibrate", as_json(found)) == [], seed


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n\n\n",
        b"\x00" * 10_000,
        b"hello\nworld\n",
        b"{" * 100_000,
        b'{"a":' * 50_000,
        b"[" + b"{}," * 1000,
        b"\x1f\x8b",
        gzip.compress(b"x", mtime=0)[:-4],
        b"iteration " * 200_000,
        b"step,loss,epoch\n",
        bytes(range(256)) * 50,
        b"a" * (3 * LONGEST) + b"\nb",
    ],
)
def test_what_is_no_log_ends_with_a_reason(text: bytes) -> None:
    found = told(text)
    assert [one.code for one in found.diagnostics] == ["E0515"] and found.text == ""


def test_the_first_line_that_is_not_understood_is_shown() -> None:
    (problem,) = told(b"\n\nEpoch 1: loss=3.2\nEpoch 2: loss=3.1\n").diagnostics
    assert "run.log:3 is the first line that is not understood: Epoch 1: loss=3.2" in problem.notes


def test_a_long_line_is_cut_and_the_rest_is_read() -> None:
    source = Bytes(io.BytesIO(b"a" * (5 * LONGEST) + b"\nb\n"))
    assert [(number, len(line)) for number, line in lines(source)] == [(1, LONGEST), (2, 1)]


def test_what_a_log_says_cannot_steer_a_plan() -> None:
    """A name that would end the text of the statement, and one of a file."""
    text = synthetic.written(synthetic.made(1)).text
    name = 'a" { x = 1 }\nminimize cost # {time}'
    found = calibrate([Log(name, name, io.BytesIO(text))])
    assert "\nminimize" not in found.text and '\\"' in found.text and "\\{" in found.text


def test_memory_does_not_grow_with_the_log() -> None:
    """Steps without end, attempts without end: what is kept is bounded."""

    class Endless(io.RawIOBase):
        left = 40_000

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            number = self.left % 50
            return (
                f'{{"step": {number}, "loss": 1, "rate": 1, "seconds": 1.5, "memory": 5}}\n'.encode()
                if self.left > 0
                else b""
            )

    heard = read(Bytes(Endless()), formats())  # type: ignore[arg-type]
    (run,) = heard.telling.runs.values()
    assert run.too_many and len(run.regimes) == 256
    assert sum(len(one.samples.kept) for one in run.regimes) < 300 * 50
