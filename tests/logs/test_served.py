"""The log of a server: its cache, and its rate under the load that is planned."""

from __future__ import annotations

from pathlib import Path

import pytest

from llmplan.cli import run

PLAN = """model "llama-3.1-8b"
hardware { gpu = "H100-SXM5-80GB", gpus = 1 }
serving { input_tokens = 1000, output_tokens = 300, engine = vllm, precision = bf16, concurrency = 64 }
"""
START = "(EngineCore_DP0 pid=123) INFO 11-28 10:00:00 [kv_cache_utils.py:1229] GPU KV cache size: 451,232 tokens\n"
pytestmark = pytest.mark.usefixtures("no_advice")


def rate(running: int, tokens: float) -> str:
    return (
        "(APIServer pid=1) INFO 11-28 10:00:10 [loggers.py:236] Engine 000: Avg prompt throughput: 10000.1 tokens/s, "
        f"Avg generation throughput: {tokens:.1f} tokens/s, Running: {running} reqs, Waiting: 3 reqs, "
        "GPU KV cache usage: 15.3%, Prefix cache hit rate: 0.0%\n"
    )


LOAD = rate(0, 0) + rate(8, 400) + rate(64, 3400) + rate(63, 3500) + rate(64, 3600) + rate(10, 500) + rate(0, 0)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "serve.plan").write_text(PLAN)
    (tmp_path / "vllm.log").write_text(START + LOAD)
    return tmp_path


def test_cache_and_rate_under_load(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["calibrate", "vllm.log", "serve.plan", "-o", "measured.plan"]) == 0
    told = (folder / "measured.plan").read_text()
    for words in (
        "serving.cache_tokens  = 451232 token",
        "= 3500 token/s",
        "serving.output_tokens = 300",
        "64 requests",
    ):
        assert words in told, told
    assert "micro_batch" not in told and "sequence_length" not in told
    assert run(["verify", "serve.plan", "vllm.log"]) == 0
    (folder / "next.plan").write_text('use "measured.plan"\n' + PLAN + "show serving.output_rate\n")
    assert run(["solve", "next.plan"]) == 0
    assert "serving.output_rate 3,500 token/s" in " ".join(capsys.readouterr().out.split())


def test_another_load_is_another_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "serve.plan").write_text(PLAN.replace("64", "32"))
    for command in (["calibrate", "vllm.log", "serve.plan"], ["verify", "serve.plan", "vllm.log"]):
        assert run(command) == 1
        told = capsys.readouterr().err
        assert "E0518" in told and "`serving.concurrency = 32`, found 64" in told


def test_a_server_without_load_has_its_cache(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "vllm.log").write_text(START + rate(0, 0) * 9)
    assert run(["calibrate", "vllm.log", "serve.plan"]) == 0
    told = capsys.readouterr().out
    assert "serving.cache_tokens" in told and "serving.output_rate" not in told
