"""What is launched, what the first hour should show, what the training script must do, in Chinese."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llmplan.present import names
from llmplan.present.blocks import Code, Line, Strong, line, listed
from llmplan.present.words.zh.labels import LABELS, Labels
from llmplan.units.amount import Amount, deviation

_DEGREES = {**LABELS, names.DATA_PARALLEL: "数据并行"}


class Launch(Labels):
    """The launch."""

    first_hour = "头一小时应看到"
    low = "低"
    high = "高"
    step_time = "单步时间"
    mfu = "MFU"
    peak_memory = "峰值显存"
    script_title = "训练脚本必须做的事"

    def launched(self, solved: bool, phrases: Sequence[Line]) -> Line:
        head = "启动配置" if solved else "最接近的方案"
        return line(Strong(line(head)), "：", listed(phrases, "；"), "。")

    def phrases(self, texts: Iterable[str]) -> str:
        return " · ".join(texts)

    def degree(self, path: str, degree: Amount) -> str:
        return f"{_DEGREES[path]} {degree.exact()}"

    def offload(self, what: str, nvme: Amount | None) -> str:
        return f"卸载 {what}" + (f" 到 NVMe，{nvme.short()}" if nvme is not None else "")

    def batch(
        self, micro: Amount, ranks: Amount, accumulation: Amount, tokens: Amount, asked: tuple[Amount, float] | None
    ) -> str:
        product = f"{micro.exact()} × {ranks.exact()} × 累积 {accumulation.exact()} = {tokens.short()}"
        return product if asked is None else f"{product}（要求 {asked[0].exact()}，{deviation(asked[1])}）"

    def recompute(self, what: str) -> str:
        return f"重计算 {what}"

    def sequences_of(self, length: Amount) -> str:
        return f"序列长度 {length.exact()}"

    def learning_rate(self, rate: Amount, warmup: Amount | None) -> str:
        return f"学习率 {rate.short()}" + (f"，预热 {warmup.exact()}" if warmup is not None else "")

    def operated(self, phrases: Sequence[str]) -> Line:
        return line(Strong(line("运行")), "：", "；".join(phrases), "。")

    def failures(self, expected: Amount, every: Amount, restart: Amount | None) -> str:
        count = "不到 0.1" if expected.number < 0.1 else expected.rough()
        cost = f"，重启 {restart.short()}" if restart is not None else ""
        return f"预计故障 {count} 次，平均 {every.short()} 一次{cost}，并丢失上次检查点以来的进度"

    def checkpoints(
        self,
        every: tuple[Amount, Amount | None] | None,
        sizes: tuple[Amount, Amount | None],
        time: Amount | None,
        rate: Amount | None,
    ) -> str:
        size, all_ = sizes
        when = "结束时保存检查点"
        if every is not None:
            steps, between = every
            when = f"每 {steps.exact()}" + (f"（{between.short()}）" if between is not None else "") + "保存检查点"
        total = f"（全部保留共 {all_.short()}）" if all_ is not None else ""
        written = f"，写入需 {time.short()}" if time is not None else ""
        at = f"（{rate.short()}）" if rate is not None and written else ""
        return f"{when}，{size.short()}{total}{written}{at}"

    def ends_after(self, limit: Amount) -> str:
        return f"Slurm 在 {limit.short()}后结束作业"

    def watched(self, name: str, unit: str, beside: bool) -> Line:
        return line("，".join(filter(None, (name, unit))), "（MFU）" if beside else None)

    def beside(self, text: str, rate: str) -> str:
        return f"{text}（{rate}）" if rate else text

    def load(self, micro: Amount, length: Amount | None) -> Line:
        each = f"，每条 {length.exact()}" if length is not None else ""
        return line(f"每个进程每次取 {micro.exact()}（", Code("LLMPLAN_MICRO_BATCH"), f"）{each}。")

    def same_data(self, ranks: str) -> Line:
        return line(f"张量并行组的 {ranks} 个进程取相同的数据。")

    def split_sequences(self, ranks: str) -> Line:
        return line(f"每条序列切分到 {ranks} 个进程。")

    def save_checkpoints(self) -> Line:
        return line("每 ", Code("LLMPLAN_CHECKPOINT_INTERVAL_STEPS"), " 步保存检查点。")
