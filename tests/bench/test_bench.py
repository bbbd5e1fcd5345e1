"""`llmplan bench`: with a stub of torch, without it, and without a GPU; what it writes is a plan."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from llmplan import api
from llmplan.bench import host, links, run, text
from llmplan.bench.figure import Figure, line, timed
from llmplan.cli import run as command
from llmplan.request import Request

TERA, GIB = 1e12, 2**30
RATES = {"float32": 50e12, "float16": 640e12, "bfloat16": 655e12, "float8": 1200e12}


class Tensor:
    """A stub: its size and type."""

    def __init__(self, clock: Clock, shape: tuple[int, ...], dtype: str) -> None:
        self.clock, self.shape, self.dtype = clock, shape, dtype

    def copy_(self, other: Tensor, non_blocking: bool = False) -> None:
        self.clock.now += self.shape[0] / (26e9 if non_blocking else 1.45e12)

    def fill_(self, number: float) -> None:
        self.number = number

    def item(self) -> float:
        return self.number

    def to(self, dtype: str) -> Tensor:
        return Tensor(self.clock, self.shape, dtype)

    def t(self) -> Tensor:
        return self


class Clock:
    """Seconds that pass by what is done."""

    now = 0.0


def stub(available: bool = True, world: int = 1, eight: bool = True, cards: int = 1) -> Any:
    """What the bench uses of torch, of an H100."""
    clock = Clock()

    class Event:
        def __init__(self, enable_timing: bool) -> None:
            self.at = 0.0

        def record(self) -> None:
            self.at = clock.now

        def elapsed_time(self, other: Event) -> float:
            return (other.at - self.at) * 1000

    def tensor(*shape: int, dtype: str = "uint8", device: str = "", pin_memory: bool = False) -> Tensor:
        return Tensor(clock, shape, dtype)

    def matmul(first: Tensor, second: Tensor, out: Tensor | None = None) -> None:
        (rows, inner), (_, columns), dtype = first.shape, second.shape, first.dtype
        rate = 400e12 if module.backends.cuda.matmul.allow_tf32 and dtype == "float32" else RATES[dtype]
        clock.now += 2 * rows * inner * columns / rate

    def scaled(first: Tensor, second: Tensor, **_: Any) -> None:
        matmul(first, second)

    def sends(whole: Tensor, *_: Any, op: object = None) -> None:
        clock.now += 20e-6 + 2 * (world - 1) / world * whole.shape[0] * 2 / 380e9

    module = SimpleNamespace(
        float32="float32", float16="float16", bfloat16="bfloat16", uint8="uint8",
        randn=tensor, empty=tensor, ones=lambda *a, **k: tensor(1), empty_like=lambda t: tensor(*t.shape),
        matmul=matmul,
        backends=SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=False))),
        cuda=SimpleNamespace(
            Event=Event, synchronize=lambda number=0: None, device_count=lambda: cards,
            is_available=lambda: available, empty_cache=lambda: None,
            mem_get_info=lambda: (79 * GIB, 80 * GIB), memory_reserved=lambda: 0, set_device=lambda n: None,
            get_device_name=lambda n: "NVIDIA H100 80GB HBM3", is_bf16_supported=lambda including_emulation: True,
        ),
        distributed=SimpleNamespace(
            ReduceOp=SimpleNamespace(MAX="max"), init_process_group=lambda backend: None,
            destroy_process_group=lambda: None, all_reduce=sends,
            all_gather_into_tensor=sends, all_to_all_single=sends,
        ),
        clock=clock,
    )  # fmt: skip
    if eight:
        module.float8_e4m3fn, module._scaled_mm = "float8", scaled
    return module


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(host, "_WRITTEN", 2**23)
    monkeypatch.setattr(host, "_told", lambda *arguments: "")
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_figure_is_a_median_measured_again_while_it_scatters() -> None:
    times = iter([9.0] * 5 + [1.0, 2.0] * 10 + [1.0] * 19 + [5.0])
    figure = timed(lambda: None, lambda run: next(times))
    assert figure == Figure(1.0, 0.0, 20)
    assert figure.over(10.0).value == 10.0


def test_latency_and_bandwidth_are_told_apart() -> None:
    latency, bandwidth = line([(size, 20e-6 + size / 300e9) for size in links.SIZES])
    assert latency == pytest.approx(20e-6) and bandwidth == pytest.approx(300e9)


def test_a_card_becomes_a_plan(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "torch_of", stub)
    assert command(["bench", "-o", "card.plan"]) == 0
    assert "wrote card.plan" in capsys.readouterr().out
    written = (machine / "card.plan").read_text()
    assert "gpu.matmul_ceiling = 66.2%  # measured: 655 TFLOP/s of 989 TFLOP/s in bf16, 16,384²" in written
    assert "hardware.host_link = 26 GB/s/GPU" in written and "# Products in tf32: 400 TFLOP/s" in written
    assert "# Left out: links between GPUs" in written and links.COMMAND in written
    assert all(found.severity != "error" for found in api.check("card.plan"))
    plan = 'use "card.plan"\nmodel "llama-7b"\nhardware { gpu = "H100-SXM5-80GB", gpus = 8 }\nshow gpu.matmul_ceiling\n'
    solution = api.solve(Request("a.plan", plan))
    assert solution.values["gpu.matmul_ceiling"].value == pytest.approx(0.662)
    assert solution.values["hardware.host_link"].value == pytest.approx(26e9)
    assert command(["bench", "-o", "card.plan"]) == 2  # never replaced


def test_the_products_of_a_plan(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of one rank: half of the columns with two tensor-parallel ones."""
    monkeypatch.setattr(run, "torch_of", stub)
    card = 'hardware { gpu = "H100-SXM5-80GB", gpus = 8 }\n'
    plan = f'model "llama-7b"\ndataset {{ tokens = 1T, sequence_length = 2048 }}\n{card}'
    plan += "parallelism.tensor = 2\ntraining { global_batch = 64 sequences, micro_batch = 4, recompute = none }\n"
    (machine / "a.plan").write_text(plan)
    assert command(["bench", "a.plan", "--matmul"]) == 0
    out = capsys.readouterr().out
    assert (
        "# The plan's queries, keys and values, 8,192 × 4,096 × 6,144 in bf16: 655 TFLOP/s, 100% of the square's" in out
    )
    assert "# The plan's out of it, 8,192 × 5,504 × 4,096 in bf16" in out and "# All of them: 655 TFLOP/s" in out
    (machine / "b.plan").write_text(
        'model { params = 7B }\nhardware { gpu = "H100-SXM5-80GB", gpus = 8 }\nshow model.params\n'
    )
    assert command(["bench", "b.plan", "--matmul"]) == 0
    assert "it does not say the shape of its model" in capsys.readouterr().out
    assert command(["bench", "no.plan"]) == 2


def test_what_a_card_lacks_is_named(machine: Path) -> None:
    found = run.measured(["matmul"], machine, stub(eight=False))
    assert found is not None and "products in fp8" in dict(found.left) and found.copy is None
    assert set(found.products) == {"fp32", "tf32", "fp16", "bf16"}


def test_links_are_measured_under_torchrun(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for rank in ("1", "0"):
        values = {"RANK": rank, "WORLD_SIZE": "8", "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": "8"}
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        torch = stub(world=8)
        monkeypatch.setattr(run, "torch_of", lambda torch=torch: torch)
        monkeypatch.setattr(
            links, "wall", lambda torch: lambda work: (before := torch.clock.now, work(), torch.clock.now - before)[2]
        )
        assert command(["bench", "--links"]) == 0
        out = capsys.readouterr().out
        assert (out == "") is (rank == "1")
    assert "hardware.intranode_bandwidth = 380 GB/s/GPU / step.intranode_efficiency" in out
    assert "all-reduce over 8 GPUs, latency 20 µs" in out and "spread 0% at most" in out
    assert "# all-gather by size: 64 KiB " in out and ", 1024 MiB " in out
    assert "# The first collective holds 0.00 MiB of the card." in out


def test_ranks_agree_before_they_measure_again() -> None:
    """A rank whose own times are steady goes on with one whose are not: else it would wait for it in vain."""
    spreads = iter([0.2, 0.2, 0.01])
    calls: list[int] = []
    figure = timed(lambda: calls.append(1), lambda run: (run(), 1.0)[1], lambda spread: next(spreads))
    assert (figure.spread, len(calls)) == (0.01, 65)


def test_pairs_of_gpus_are_measured(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = stub(cards=3)
    monkeypatch.setattr(links, "time", SimpleNamespace(perf_counter=lambda: torch.clock.now))
    found = run.measured(["links"], machine, torch)
    assert found is not None and set(found.pairs) == {(0, 1), (0, 2), (1, 2)}
    written = text.of(found, None)
    assert "# GPU 0 to GPU 2: 1.45 TB/s in a copy, median of 20, spread 0%." in written


def test_a_slow_link_is_a_warning(machine: Path) -> None:
    known = run.known("NVIDIA H100 80GB HBM3")
    assert known is not None and known.peaks["bf16"] == pytest.approx(989e12, rel=0.01) and known.intranode
    slow = text.Bench(copy=Figure(1e12, 0, 20), links=(links.Link("all-reduce", 1e-5, 20e9, ()),), ranks=8)
    assert [name for name, *_ in text.slow(slow, known)] == ["memory", "link in a node"]
    assert text.slow(text.Bench(copy=Figure(3e12, 0, 20)), known) == []


@pytest.mark.parametrize("torch", [None, stub(available=False)])
def test_without_torch_or_a_gpu_the_rest_is_told(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], torch: Any
) -> None:
    monkeypatch.setattr(run, "torch_of", lambda: torch)
    assert command(["bench", "-o", "card.plan"]) == 0
    written, told = capsys.readouterr()
    assert "card.plan is not written: nothing was measured" in told and not (machine / "card.plan").exists()
    assert "a machine without a GPU" in written and "processors" in written and "# Left out: " in written
    assert ("pip install torch" in written) is (torch is None)
    assert all(line.startswith("#") or not line for line in written.splitlines())


def test_nvidia_smi_is_read_and_may_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "NVIDIA A100-SXM4-80GB, 81920 MiB, 550.54.15, 400.00 W, 1410 MHz, 4, 16\nbroken\n"
    monkeypatch.setattr(host, "_told", lambda *arguments: told)
    (card,) = host.cards()
    assert card.name == "NVIDIA A100-SXM4-80GB" and card.link == "PCIe 4 x16"
    monkeypatch.undo()
    monkeypatch.setenv("PATH", "/nowhere")
    assert host.cards() == [] and host.topology() == []


def test_configurations_are_no_plan(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (machine / "ds_config.json").write_text("{}")
    assert command(["bench", "ds_config.json"]) == 2
    assert "`llmplan import ds_config.json -o run.plan`" in capsys.readouterr().err
