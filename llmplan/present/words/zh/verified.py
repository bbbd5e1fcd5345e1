"""Whether a run is on plan, in Chinese."""

from __future__ import annotations

from llmplan.present.words.zh.labels import Labels

_VERDICTS = {
    "slower": "慢",
    "faster": "快",
    "more": "多",
    "less": "少",
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

    def off_plan(self, name: str, by: str, verdict: str, normal: bool) -> str:
        return f"{name} {by}，比{'八成运行' if normal else '计划'}{_VERDICTS[verdict]}"

    whole_run = "可能：每步时间是整个运行的平均，含启动、评估和保存：请逐步记录"

    def part_off(self, part: str, seen: str, planned: str, share: str | None) -> str:
        said = f"偏离之处：{part}，实测 {seen}，计划 {planned}"
        return said if share is None else f"{said}，占差异的 {share}"

    def suspect(self, path: str, other: str, own: str, step: str | None, share: str | None, tells: str) -> str:
        then = "" if step is None else f"，每步则为 {step}"
        then += "" if share is None else f"（占差异的 {share}）"
        return f"可能：{path} = {other}，而非 {own}{then}；判别：{tells}"

    def rest(self, done: str, steps: str, otherwise: str | None, left: str, planned: str, end: str | None) -> str:
        whole = f"共 {steps} 步" if otherwise is None else f"日志称共 {steps} 步，计划 {otherwise} 步"
        said = f"第 {done} 步（{whole}）之后，按实测还需 {left}，按计划还需 {planned}"
        return said if end is None else f"{said}；按此速度和计划的有效率，将于 {end} 结束"

    def goodput(self, seen: str, planned: str | None) -> str:
        said = f"有效率：日志各步时间的 {seen} 用于平稳训练"
        return said if planned is None else f"{said}；计划 {planned}，含故障"

    def cost_so_far(self, spent: str, end: str, planned: str) -> str:
        return f"费用：至今 {spent}，按实测最终 {end}，按计划 {planned}"

    def parts_seen(self, parts: str) -> str:
        return f"日志中一步的各部分：{parts}"
