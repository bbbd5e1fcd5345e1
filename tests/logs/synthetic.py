"""Logs made up in the exact syntax of each format, with what must be read from them.

Every maker takes a run and returns its log as bytes, and the seconds that its steps have as they are printed.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import struct
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone

from attrs import field, frozen

GIB, MIB = 2.0**30, 2.0**20


@frozen
class Made:
    """A run: the seconds of each of its steps, and what it runs on. The first steps are slow, as a start is."""

    seconds: tuple[float, ...]
    batch: int = 64
    micro: int = 2
    length: int = 2048
    gpus: int = 16
    tensor: int = 2
    pipeline: int = 2
    allocated: float = 40 * GIB
    reserved: float = 52 * GIB
    ranks: int = 4

    @property
    def rate(self) -> float:
        """Tokens a second of one GPU, at the median step."""
        middle = sorted(self.seconds)[len(self.seconds) // 2]
        return self.batch * self.length / middle / self.gpus


@frozen
class Log:
    """A log.

    Attributes:
        times: Of the steps that count, as they are printed; None where only the mean can be told.
        expected: Inputs that the log says.
    """

    format: str
    text: bytes
    times: tuple[float, ...] | None
    allocated: float | None = None
    reserved: float | None = None
    inputs: dict[str, str] = field(factory=dict)
    tolerance: float = 1e-9


def made(seed: int, steps: int = 40) -> Made:
    """A run with steps of about one length."""
    draw = random.Random(seed)
    middle = draw.choice([0.05, 0.6, 4.2, 31.0, 105.0])
    seconds = [middle * (1 + draw.uniform(-0.03, 0.03)) for _ in range(steps)]
    seconds[0] = middle * 6
    return Made(
        tuple(seconds),
        batch=draw.choice([8, 64, 512, 2048]),
        micro=draw.choice([1, 2, 4]),
        length=draw.choice([512, 2048, 8192]),
        gpus=draw.choice([8, 16, 64, 384]),
        tensor=draw.choice([1, 2, 4]),
        pipeline=draw.choice([1, 2, 4]),
        allocated=draw.randrange(10_000, 60_000) * MIB,
        reserved=draw.randrange(60_000, 75_000) * MIB,
    )


def stamps(run: Made) -> Iterator[datetime]:
    """The time of day at which each step ends."""
    now = datetime(2026, 3, 1, 22, 10, 5, 250000, tzinfo=timezone.utc)
    for seconds in run.seconds:
        now += timedelta(seconds=seconds)
        yield now


def megatron(run: Made, unit: str = "ms", colour: bool = False) -> Log:
    lines = [
        (
            f"using world size: {run.gpus}, data-parallel-size: 4, tensor-model-parallel size: {run.tensor}, "
            f"pipeline-model-parallel size: {run.pipeline} "
        ),
        "------------------------ arguments ------------------------",
        "  bf16 ............................................ True",
        f"  global_batch_size ............................... {run.batch}",
        f"  micro_batch_size ................................ {run.micro}",
        "  recompute_granularity ........................... selective",
        f"  seq_length ...................................... {run.length}",
        "-------------------- end of arguments ---------------------",
    ]
    times = []
    for step, seconds in enumerate(run.seconds, 1):
        printed = f"{seconds * 1000:.1f}" if unit == "ms" else f"{seconds:.3f}"
        times.append(float(printed) / (1000 if unit == "ms" else 1))
        stamp = "" if unit == "s" else "[2026-03-01 22:10:05] "
        lines.append(
            f" {stamp}iteration {step:8d}/    5000 | consumed samples: {step * run.batch:12d} | "
            f"elapsed time per iteration ({unit}): {printed} | learning rate: 1.000000E-04 | "
            f"global batch size: {run.batch:5d} | lm loss: 8.12E+00 | loss scale: 1.0 | grad norm: 1.2 | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if step == 1:
            ranks = [
                f"[Rank {rank}] (after 1 iterations) memory (MB) | allocated: 100.5 | max allocated: "
                f"{run.allocated / MIB - rank} | reserved: 1.0 | max reserved: {run.reserved / MIB - rank}"
                for rank in range(run.ranks)
            ]
            lines.append(ranks[0] + ranks[1])
            lines += ranks[2:]
        if step == 2:
            parts = {"forward-compute": 0.31, "backward-compute": 0.62, "optimizer": 0.02}
            told = [f"{name}: {share * seconds * 1000:.2f}" for name, share in parts.items()]
            lines.append(f"time (ms) | {' | '.join(told)}")
    if colour:
        lines = [f"\x1b[32m[default{run.ranks - 1}]:{line}\x1b[0m" for line in lines]
    inputs = {
        "hardware.gpus": str(run.gpus),
        "parallelism.tensor": str(run.tensor),
        "parallelism.pipeline": str(run.pipeline),
        "training.global_batch": f"{run.batch} sequences",
        "training.micro_batch": str(run.micro),
        "training.recompute": "selective",
        "training.precision": "bf16",
        "dataset.sequence_length": str(run.length),
    }
    return Log("Megatron-LM", _text(lines), tuple(times[1:]), run.allocated, run.reserved, inputs)


def megatron_seconds(run: Made) -> Log:
    return megatron(run, "s", colour=True)


def bridge(run: Made) -> Log:
    log = megatron(run)
    allocated, reserved = round(run.allocated / 1e9, 3), round(run.reserved / 1e9, 3)
    lines = [line for line in log.text.decode().splitlines() if "memory (MB)" not in line]
    lines.insert(
        9,
        f"[Rank 0] (after 1 iterations) memory (GB) | mem-allocated-gigabytes: 1.0 | mem-max-allocated-gigabytes: "
        f"{allocated} | mem-max-active-gigabytes: 1.0 | mem-max-reserved-gigabytes: {reserved} | mem-alloc-retires: 0",
    )
    return Log("Megatron-LM", _text(lines), log.times, allocated * 1e9, reserved * 1e9, log.inputs)


def deepspeed(run: Made) -> Log:
    lines = [
        f"[2026-03-01 22:10:05,250] [INFO] [config.py:1000:print]   train_batch_size ............. {run.batch}",
        f"[2026-03-01 22:10:05,250] [INFO] [config.py:1000:print]   train_micro_batch_size_per_gpu  {run.micro}",
        f"[2026-03-01 22:10:05,250] [INFO] [config.py:1000:print]   world_size ................... {run.gpus}",
        "[2026-03-01 22:10:05,250] [INFO] [config.py:1000:print]   zero_optimization_stage ...... 2",
        (
            f"[2026-03-01 22:10:06,100] [INFO] [utils.py:785:see_memory_usage] MA {run.allocated / GIB:.2f} GB         "
            f"Max_MA {run.allocated / GIB:.2f} GB         CA {run.reserved / GIB:.2f} GB         Max_CA 53 GB "
        ),
    ]
    memory = lines[-1]
    lines[-1] = memory.replace(" CA ", " CA 9")  # while the engine is made it may have held more
    times = []
    for step, seconds in enumerate(run.seconds, 1):
        rate = run.batch / seconds
        times.append(run.batch / rate)
        lines += [memory] if step == 3 else []
        lines += [
            f"[2026-03-01 22:10:06,100] [INFO] [logging.py:96:log_dist] [Rank 0] step={step}, skipped=0, lr=[0.0001]",
            (
                f"[2026-03-01 22:10:06,101] [INFO] [timer.py:260:stop] epoch=0/micro_step={step * 4}/global_step="
                f"{step}, RunningAvgSamplesPerSec={rate * 0.9}, CurrSamplesPerSec={rate}, MemAllocated=1.5GB, "
                f"MaxMemAllocated={run.allocated / GIB:.2f}GB"
            ),
            (
                "[2026-03-01 22:10:06,102] [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd: 95.31 | "
                "bwd: 181.06 | bwd_inner: 178.10 | bwd_allreduce: 2.90 | step: 12.05"
            ),
        ]
    allocated, reserved = round(run.allocated / GIB, 2) * GIB, round(run.reserved / GIB, 2) * GIB
    inputs = {
        "training.global_batch": f"{run.batch} sequences", "parallelism.zero_stage": "2",
        "training.micro_batch": str(run.micro),
    }  # fmt: skip
    return Log("DeepSpeed", _text(lines), tuple(times[1:]), allocated, reserved, inputs)


def huggingface(run: Made) -> Log:
    lines = [
        "***** Running training *****",
        "  Num examples = 100,000",
        f"  Instantaneous batch size per device = {run.micro}",
        f"  Total train batch size (w. parallel, distributed & accumulation) = {run.batch:,}",
        "  Total optimization steps = 5,000",
    ]
    clock, seen, times, last = 0.0, 0, [], 0.0
    for step, seconds in enumerate(run.seconds, 1):
        clock, seen = clock + seconds, seen + run.batch * run.length
        printed = round(clock, 4)
        lines.append(
            f"{{'loss': 2.1, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': {step / 1000}, "
            f"'num_input_tokens_seen': {seen}, 'train_runtime': {printed}, 'train_tokens_per_second': 1.0}}"
        )
        times.append(printed - last)
        last = printed
    inputs = {"training.micro_batch": str(run.micro), "training.global_batch": f"{run.batch} sequences"}
    return Log("Hugging Face", _text(lines), tuple(times[1:]), inputs=inputs, tolerance=1e-6)


def llamafactory(run: Made) -> Log:
    """Whole seconds alone: what many of them together say."""
    lines, clock = [], 0.0
    for step, seconds in enumerate(run.seconds, 1):
        clock += seconds
        elapsed = f"{int(clock // 3600)}:{int(clock % 3600 // 60):02d}:{int(clock % 60):02d}"
        entry = {"current_steps": step, "total_steps": 9060, "loss": 1.6, "epoch": 0.1, "elapsed_time": elapsed}
        lines.append(json.dumps(entry))
    mean = sum(run.seconds[1:]) / len(run.seconds[1:])
    return Log("Hugging Face", _text(lines), None if mean < 4 else (mean,), tolerance=0.03)


def swift(run: Made) -> Log:
    """Its clock is how many steps there were by how many a second."""
    lines, clock = [], 0.0
    for step, seconds in enumerate(run.seconds, 1):
        clock += seconds
        elapsed = f"{int(clock // 3600)}h {int(clock % 3600 // 60)}m {int(clock % 60)}s"
        speed = round(step / clock, 6)
        lines.append(
            f"{{'loss': 1.6, 'memory(GiB)': {run.reserved / GIB:.2f}, 'train_speed(iter/s)': {speed}, 'epoch': 0.1, "
            f"'global_step/max_steps': '{step}/9060', 'percentage': '0.01%', 'elapsed_time': '{elapsed}'}}"
        )
    reserved = round(run.reserved / GIB, 2) * GIB
    return Log("Hugging Face", _text(lines), run.seconds[1:], None, reserved, tolerance=0.01)


def _titan(run: Made, head: list[str], inputs: dict[str, str]) -> Log:
    lines = [
        f"[rank0]:[titan] 2026-03-01 22:10:05,250 - root - INFO - {text}" for text in ("Starting job: test", *head)
    ]
    for step, (stamp, seconds) in enumerate(zip(stamps(run), run.seconds), 1):
        rate = run.batch * run.length / seconds / run.gpus
        for rank in (0, 3):
            lines.append(
                f"[rank{rank}]:\x1b[36m[titan] {stamp:%Y-%m-%d %H:%M:%S},{stamp.microsecond // 1000:03d} - root - INFO "
                f"- \x1b[31mstep: {step:2d}  \x1b[32mloss:  7.1234  \x1b[33mmemory: {run.reserved / GIB:5.2f}GiB"
                f"(65.20%)  \x1b[34mtps: {round(rate):,}  \x1b[36mtflops: 62.00  \x1b[35mmfu: 20.79%\x1b[39m"
            )
    reserved = round(run.reserved / GIB, 2) * GIB
    said = {"training.global_batch": f"{run.batch} sequences", "dataset.sequence_length": str(run.length), **inputs}
    return Log("torchtitan", _text(lines), run.seconds[1:], None, reserved, said, tolerance=0.03)


def torchtitan(run: Made) -> Log:
    """Release 0.2 and later."""
    shards = run.gpus // (run.tensor * run.pipeline)
    head = [
        (
            f"Building device mesh with parallelism: pp={run.pipeline}, dp_replicate=1, dp_shard={shards}, cp=1, "
            f"tp={run.tensor}, ep=1, etp=1"
        ),
        (
            f"Trainer is initialized with local batch size {run.micro}, global batch size {run.batch}, gradient "
            f"accumulation steps 2, sequence length {run.length}, total steps 1000 (warmup 200)"
        ),
        "Training starts at step 1",
    ]
    layout = {"tensor": run.tensor, "pipeline": run.pipeline, "context": 1, "expert": 1}
    inputs = {f"parallelism.{name}": str(degree) for name, degree in layout.items()}
    inputs["hardware.gpus"] = str(shards * run.tensor * run.pipeline)
    if run.pipeline == 1:  # else the local batch is of several micro-batches
        inputs["training.micro_batch"] = str(run.micro)
    return _titan(run, head, inputs)


def torchtitan_2024(run: Made) -> Log:
    """Before that: the line of the start says the batch."""
    head = [
        (
            f"Training starts at step 1, with local batch size {run.micro}, global batch size {run.batch}, "
            f"sequence length {run.length}, total steps 1000 (warmup 200)"
        )
    ]
    return _titan(run, head, {"training.micro_batch": str(run.micro)})


def lightning(run: Made) -> Log:
    """`metrics.csv`, where each logger has rows of its own."""
    rates = ("batches", "items")
    stats = ("allocated", "reserved")
    columns = ["epoch", "step", "train_loss", *(f"train|device/{one}_per_sec" for one in rates)]
    columns += [f"DeviceStatsMonitor.on_train_batch_end/{one}_bytes.all.peak" for one in stats]
    lines = [",".join(columns)]
    for step, seconds in enumerate(run.seconds):
        lines.append(f"0,{step},3.25,,,{round(run.allocated)},{round(run.reserved)}")
        lines.append(f",{step},,{1 / seconds},{run.batch * run.length / seconds / run.gpus},,")
    return Log("Lightning", _text(lines), None, round(run.allocated), round(run.reserved))


def nanotron(run: Made) -> Log:
    lines = [
        (
            f"03/01/2026 22:10:05 [INFO|DP=0|PP=0|TP=0]: [Start training] datetime: 2026-03-01 22:10:05.250 | mbs: "
            f"{run.micro} | grad_accum: 1 | global_batch_size: {run.batch} | sequence_length: {run.length} | "
            "train_steps: 15"
        ),
        (
            f"03/01/2026 22:10:05 [INFO|DP=0|PP=0|TP=0]:  Memory usage: 64.15MiB. Peak allocated "
            f"{run.allocated / MIB:.2f}MiB. Peak reserved: {run.reserved / MIB:.2f}MiB"
        ),
    ]
    times = []
    for step, seconds in enumerate(run.seconds, 1):
        printed = _three(seconds * 1000)
        times.append(_value(printed) / 1000)
        rate = run.batch * run.length / seconds
        lines.append(
            f"03/01/2026 22:10:05 [INFO|DP=0|PP=0|TP=0]: iteration: {step} / 1500 | consumed_tokens: 512K | "
            f"elapsed_time_per_iteration_ms: {printed} | tokens_per_sec: {_three(rate)} | tokens_per_sec_per_gpu: "
            f"{_three(rate / run.gpus)} | global_batch_size: {_three(run.batch)} | lm_loss: 5.32 | lr: 0.00015 | "
            "model_tflops_per_gpu: 180 | hardware_tflops_per_gpu: 180 | grad_norm: 2.96"
        )
    inputs = {"training.micro_batch": str(run.micro), "dataset.sequence_length": str(run.length)}
    allocated, reserved = round(run.allocated / MIB, 2) * MIB, round(run.reserved / MIB, 2) * MIB
    return Log("Nanotron", _text(lines), tuple(times[1:]), allocated, reserved, inputs)


def nemo(run: Made) -> Log:
    lines, times = [], []
    for step, seconds in enumerate(run.seconds):
        printed = f"{seconds:.4g}"
        times.append(float(printed))
        lines.append(
            f"Training epoch 0, iteration {step}/99 | lr: 1.469e-05 | global_batch_size: {run.batch} | global_step: "
            f"{step} | reduced_train_loss: 6.265 | train_step_timing in s: {printed} | tokens_per_sec_per_gpu: "
            f"{run.batch * run.length / seconds / run.gpus:.4g} | consumed_samples: {(step + 1) * run.batch}"
        )
    inputs = {"training.global_batch": f"{run.batch} sequences"}
    return Log("NeMo", _text(lines), tuple(times[1:]), inputs=inputs)


def llm_foundry(run: Made) -> Log:
    lines, times = [], []
    for step, seconds in enumerate(run.seconds, 1):
        rate = f"{run.batch / seconds:.4f}"
        tokens = run.batch * run.length / seconds
        times.append(run.batch / float(rate))
        lines += [
            f"[epoch=1][batch={step}/5000]:",
            f"\t Train time/batch: {step - 1 + 1}",
            f"\t Train time/sample: {step * run.batch}",
            f"\t Train time/token: {step * run.batch * run.length}",
            f"\t Train trainer/device_train_microbatch_size: {run.micro}",
            f"\t Train memory/peak_allocated_mem: {run.allocated / 1e9:.4f}",
            f"\t Train memory/peak_reserved_mem: {run.reserved / 1e9:.4f}",
            "\t Train loss/train/total: 2.1345",
            "\t Train throughput/batches_per_sec: 0.0027",
            f"\t Train throughput/samples_per_sec: {rate}",
            f"\t Train throughput/tokens_per_sec: {tokens:.4f}",
            f"\t Train throughput/device/tokens_per_sec: {tokens / run.gpus:.4f}",
        ]
    inputs = {"training.micro_batch": str(run.micro), "hardware.gpus": str(run.gpus)}
    allocated, reserved = round(run.allocated / 1e9, 4) * 1e9, round(run.reserved / 1e9, 4) * 1e9
    return Log("LLM Foundry", _text(lines), tuple(times[1:]), allocated, reserved, inputs)


def written(run: Made) -> Log:
    """As templates/accelerate/llmplan_train.py.j2 prints."""
    lines = [
        json.dumps({"step": step, "loss": 7.1, "rate": 1e-4, "seconds": seconds, "memory": int(run.allocated)})
        for step, seconds in enumerate(run.seconds, 1)
    ]
    return Log("llmplan_train.py", _text(lines), run.seconds[1:], run.allocated)


def wandb_csv(run: Made) -> Log:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(["Step", "train/loss", "throughput(tps)", "time_metrics/end_to_end(s)", "memory/max_reserved(GiB)"])
    times = []
    for step, seconds in enumerate(run.seconds, 1):
        times.append(seconds)
        table.writerow([step, 7.0, round(run.rate, 3), repr(seconds), f"{run.reserved / GIB:.4f}"])
    reserved = round(run.reserved / GIB, 4) * GIB
    return Log("tracked values", out.getvalue().encode(), tuple(times[1:]), None, reserved)


def wandb_json(run: Made) -> Log:
    rows = [
        {"_step": step, "_runtime": 10.0 + sum(run.seconds[:step]), "iteration-time": seconds, "batch-size": run.batch}
        for step, seconds in enumerate(run.seconds, 1)
    ]
    inputs = {"training.global_batch": f"{run.batch} sequences"}
    return Log("tracked values", json.dumps(rows, indent=1).encode(), run.seconds[1:], inputs=inputs)


def trainer_state(run: Made) -> Log:
    clock, rows = 0.0, []
    for step, seconds in enumerate(run.seconds, 1):
        clock += seconds
        rows.append({"epoch": step / 100, "loss": 2.0, "step": step, "train_runtime": round(clock, 4),
                     "num_input_tokens_seen": step * run.batch * run.length})  # fmt: skip
    state = {"epoch": 1.0, "global_step": len(rows), "log_history": rows, "max_steps": len(rows),
             "num_train_epochs": 1, "train_batch_size": run.micro}  # fmt: skip
    times = [round(sum(run.seconds[: at + 1]), 4) - round(sum(run.seconds[:at]), 4) for at in range(1, len(rows))]
    inputs = {"training.micro_batch": str(run.micro)}
    return Log("Hugging Face", json.dumps(state, indent=2).encode(), tuple(times), inputs=inputs, tolerance=1e-3)


def tensorboard(run: Made) -> Log:
    out = b""
    records = [b"\x0a\x0abrain.Event:2"]
    first = struct.pack("<d", 0.0)
    records = [b"\x09" + first + b"\x1a" + bytes([len(b"brain.Event:2")]) + b"brain.Event:2"]
    times = []
    for step, seconds in enumerate(run.seconds, 1):
        single = struct.unpack("<f", struct.pack("<f", seconds))[0]
        times.append(single)
        for tag, value in (("lm loss", 7.1), ("iteration-time", seconds), ("batch-size", float(run.batch))):
            name = tag.encode()
            scalar = b"\x0a" + bytes([len(name)]) + name + b"\x15" + struct.pack("<f", value)
            summary = b"\x0a" + bytes([len(scalar)]) + scalar
            wall = struct.pack("<d", 1e9 + sum(run.seconds[:step]))
            records.append(b"\x09" + wall + b"\x10" + _varint(step) + b"\x2a" + bytes([len(summary)]) + summary)
    for record in records:
        out += struct.pack("<Q", len(record)) + b"\0" * 4 + record + b"\0" * 4
    return Log("tracked values", out, tuple(times[1:]), inputs={"training.global_batch": f"{run.batch} sequences"})


FORMATS: dict[str, Callable[[Made], Log]] = {
    maker.__name__: maker
    for maker in (
        megatron, megatron_seconds, bridge, deepspeed, huggingface, llamafactory, swift, torchtitan, torchtitan_2024,
        lightning, nanotron, nemo,
        llm_foundry,
        written, wandb_csv, wandb_json, trainer_state, tensorboard,
    )
}  # fmt: skip


def packed(text: bytes) -> bytes:
    return gzip.compress(text)


def _text(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _three(value: float) -> str:
    """Three digits and a letter, as Nanotron prints."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _value(printed: str) -> float:
    size = {"T": 1e12, "B": 1e9, "M": 1e6, "K": 1e3}.get(printed[-1], 1.0)
    return float(printed.rstrip("TBMK")) * size


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])
