"""Why a run had no memory left, in Chinese. What an allocation is, is the library's text and stays English."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.present.blocks import Code, Line, line
from llmplan.present.words.zh.labels import Labels

_MOMENTS = {
    "load": "加载模型时",
    "start": "启动时",
    "forward": "前向计算中",
    "loss": "计算损失时",
    "backward": "反向计算中",
    "update": "优化器更新时",
    "evaluate": "评估时",
    "save": "保存检查点时",
}
_PROOFS = {"size": "由大小判断", "frame": "由调用栈判断", "size and frame": "由大小和调用栈判断"}


class Failure(Labels):
    """The answer to `llmplan why`."""

    resident_title = "计划中最满时刻的驻留显存"
    avoided_title = "可以避免的改动"

    def failed(self, tried: str | None, what: str, moment: str, proof: str) -> Line:
        return line(f"{tried or '失败的分配'}：{what}（{_MOMENTS[moment]}，{_PROOFS[proof]}）")

    def seen(self, what: str, moment: str) -> Line:
        return line(f"调用栈属于：{what}（{_MOMENTS[moment]}），但在这个计划中大小不同：")

    def seen_in_frames(self, statement: str) -> Line:
        return line("调用栈表明 ", Code(statement), "，而文件没有写明：以下按此计算")

    def formula_of(self, name: str, formula: str, size: str | None) -> Line:
        return line(Code(name), f" = {formula}", f" = {size}" if size else "")

    def explained_by(self, samples: int) -> str:
        return f"由此微批次为 {samples}；文件中没有写明"

    def or_else(self, what: str, name: str, proof: str) -> Line:
        return line("或者：", what, "（", Code(name), f"，{_PROOFS[proof]}）")

    def told_apart(self) -> str:
        return "出错进程的调用栈可以区分它们：请给出包含它的日志"

    def not_told(self, tried: str | None, planned: bool) -> Line:
        size = f"没有已知的分配为 {tried}" if tried else "消息中没有大小"
        return line(
            f"无法判断：{'在这个计划中' if planned else ''}{size}",
            "" if planned else "，且没有计划或配置，无法计算大小",
        )

    def failure_cause(self, name: str, tried: str, beside: str, setting: str) -> str:
        return {
            "another": f"消息来自与计划不同的卡（{beside}）：以下比较的是两次不同的训练",
            "elsewhere": "不是 PyTorch 的显存分配器：是某个库自己的分配或驱动",
            "host": "耗尽的是主机内存而不是显存，系统终止了进程："
            "主机内存中有各 rank 加载的权重、卸载的状态、锁页副本以及数据加载器所持有的内容",
            "limited": f"尚有 {beside} 空闲却拒绝了 {tried}：起作用的是进程限额、容器或 WSL，而不是模型大小",
            "fragmented": f"碎片起了作用：分配器持有 {beside} 未被张量使用，但都是过小的块；"
            f"`{setting}=expandable_segments:True` 可让块增长",
            "engine": f"推理引擎启动时一次占用其全部份额：需要 {tried}，空闲 {beside}。其余被其他进程"
            "（常为上次启动残留）占用：结束它们，或调低 `--gpu-memory-utilization`",
            "still fragmented": f"碎片是原因：虽然文件已让分配器的块可增长，仍有 {beside} 未被任何张量使用",
            "others": f"其他进程占用了该卡的 {beside}",
            "block": f"{tried} 是分配器为小请求取的块，不能说明请求了什么",
        }[name]

    def others_failed(self, sizes: Sequence[tuple[str, int]]) -> str:
        count = sum(number for _, number in sizes)
        told = "、".join(f"{size}（{number} 次）" if number > 1 else size for size, number in sizes)
        return f"日志中还有 {count} 条同类消息（来自其他 rank 或之后的尝试），请求的是 {told}"

    def no_changes(self, fits: bool, needed: str, planned: str) -> str:
        if fits:
            return f"没有建议的改动：按计划 {needed} 可放入 {planned}；其余显存的占用不在计划之中"
        return f"没有建议的改动：没有找到能让这个需要 {needed} 的计划放入 {planned} 的改动"

    def pieces(self, count: int, tried: str) -> str:
        return f"已分配的正好是 {tried} 的 {count} 倍：驻留的是同样的块"

    def compared_with(self, allocated: str | None, planned: str) -> Line:
        if allocated is None:
            return line(f"计划需要 {planned}")
        return line(f"计划每卡需要 {planned}；当时 PyTorch 的活动张量为 {allocated}")

    def no_message(self) -> str:
        return "没有显存不足的消息"
