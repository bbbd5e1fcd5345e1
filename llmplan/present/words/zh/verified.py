"""Whether a run is on plan, in Chinese."""

from __future__ import annotations

from llmplan.present.words.zh.labels import Labels

_VERDICTS = {
    "slower": "慢",
    "faster": "快",
    "more": "多",
    "less": "少",
    "lower": "低",
}


class Verified(Labels):
    """The answer to `llmplan verify`."""

    verified_columns = ("", "实测", "计划", "八成区间", "")

    def verified(self, file: str, off: str, tolerance: str) -> str:
        if off:
            return f"{file} 不符合计划（容差 {tolerance}）：{off}"
        return f"{file} 符合计划（容差 {tolerance}）"

    def normal(self, file: str, off: str, speed: tuple[str, str, str] | None) -> str:
        if off:
            return f"{file} 不正常：{off}"
        if speed is None:
            return f"{file} 正常：与八成同类运行一样"
        name, seen, band = speed
        return f"{file} 正常：{name} {seen}，八成同类运行为 {band}"

    def loss_lost(self, step: str, line: int) -> str:
        return f"从第 {step} 步起损失不是数{f'（第 {line} 行）' if line else ''}"

    def goes_on(self, first: str, last: str, end: str, by: str, slower: bool, time: str | None) -> str:
        how = f"{'慢' if slower else '快'} {by}{'' if time is None else f'，每步 {time}'}"
        said = f"此处只说第 {first} .. {last} 步：日志以另一速度延续到第 {end} 步，{how}"
        return f"{said}；剩余部分按这些步的速度计算"

    def died(self, line: int, text: str, out_of_memory: str | None) -> str:
        said = f"日志在第 {line} 行以失败结束：{text}"
        return said if out_of_memory is None else f"{said}；`llmplan why {out_of_memory}` 说明内存用在何处"

    def restarted(self, times: int, repeated: str | None) -> str:
        said = f"重启 {times} 次，速度不变：合并计算"
        return said if repeated is None else f"{said}；{repeated} 步重做过，重复计入"

    def missed(self, name: str, text: str, seen: str, steps: tuple[str, str] | None) -> str:
        return f"不满足要求 `{name}`：{text}，按实测为 {seen}{self._for_steps(steps)}"

    def kept(self, name: str, text: str, seen: str, steps: tuple[str, str] | None) -> str:
        return f"满足要求 `{name}`：{text}，按实测为 {seen}{self._for_steps(steps)}"

    def _for_steps(self, steps: tuple[str, str] | None) -> str:
        return "" if steps is None else f"（按日志所称的 {steps[0]} 步，而非计划的 {steps[1]} 步）"

    def off_plan(self, name: str, by: str, verdict: str, normal: bool) -> str:
        return f"{name} {by}，比{'八成同类运行' if normal else '计划'}{_VERDICTS[verdict]}"

    whole_run = "可能：每步时间是整个运行的平均，含启动、评估和保存：请逐步记录"

    def part_off(self, part: str, seen: str, planned: str, share: str | None) -> str:
        said = f"偏离之处：{part or '日志计时之外的部分'}，实测 {seen}，计划 {planned}"
        return said if share is None else f"{said}，占差异的 {share}"

    def between_steps(self, seconds: str) -> str:
        return f"偏离之处：按日志各行的时间，每步之后还有 {seconds} 未计入该步：加载数据、记录日志、回调"

    def waits(self, seconds: str, share: str) -> str:
        return f"偏离之处：每步等待数据 {seconds}，占差异的 {share}：可增加加载进程或换用更快的磁盘"

    def waits_perhaps(self, low: str, high: str, share: str, switch: str) -> str:
        said = f"可能：各步在等待数据；每步 {low} 至 {high}，较快的步少了差异的 {share}"
        return f"{said}；长度不一的批次也会如此；判别：{self._told_by(switch)}"

    def waits_untold(self, switch: str) -> str:
        return f"日志未说明：每步等待数据多久；判别：{self._told_by(switch)}"

    def _told_by(self, switch: str) -> str:
        return switch or "用一直留在内存中的同一批数据运行相同的步，即无需等待"

    def suspect(self, path: str, other: str, own: str, step: str | None, share: str, of: str, tells: str) -> str:
        then = "" if step is None else f"，每步则为 {step}"
        then += f"（占{f' {of} ' if of else ''}差异的 {share}）"
        return f"可能：{path} = {other}，而非 {own}{then}；判别：{tells}"

    def rest(
        self,
        done: str,
        steps: str,
        otherwise: str | None,
        left: str,
        planned: str,
        end: str | None,
        losing: tuple[str, str] | None,
    ) -> str:
        whole = f"共 {steps} 步" if otherwise is None else f"日志称共 {steps} 步，计划 {otherwise} 步"
        said = f"第 {done} 步（{whole}）之后，按实测还需 {left}，按计划还需 {planned}"
        if losing is not None:
            goodput, then = losing
            said += f"（若不再有损失）；按日志的有效率 {goodput} 还需 {then}"
            return said if end is None else f"{said}，将于 {end} 结束"
        return said if end is None else f"{said}；按此速度和计划的有效率，将于 {end} 结束"

    def goodput(self, seen: str, planned: str | None) -> str:
        said = f"有效率：日志各步时间的 {seen} 用于平稳训练"
        return said if planned is None else f"{said}；计划 {planned}，含故障"

    def cost_so_far(self, spent: str, end: str, planned: str) -> str:
        return f"费用：至今 {spent}，按实测最终 {end}，按计划 {planned}"

    def parts_seen(self, parts: str) -> str:
        return f"日志中一步的各部分：{parts}"
