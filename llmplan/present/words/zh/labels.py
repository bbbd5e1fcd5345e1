"""Labels in Chinese, and phrases that several sections need."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llmplan.answer.schema.requirements import RequirementResult, Sides
from llmplan.answer.schema.solution import Shown
from llmplan.answer.schema.values import Value
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed, shortened
from llmplan.present.words.en.labels import Labels as English
from llmplan.present.words.en.labels import inequality
from llmplan.present.words.zh.units import localized
from llmplan.units.amount import Amount, percent

LABELS = {
    names.TIME: "训练时间",
    names.WALL_TIME: "日历时间",
    names.COST: "费用",
    names.WALL_COST: "日历费用",
    names.MEMORY: "最满 GPU 的显存",
    names.GPU_HOURS: "GPU·小时",
    names.GPUS: "GPU 数",
    names.GPU: "GPU",
    names.NODES: "节点数",
    names.PARAMS_TOTAL: "参数量",
    names.TENSOR: "张量并行",
    names.PIPELINE: "流水线并行",
    names.ZERO_STAGE: "ZeRO",
    names.CONTEXT: "上下文并行",
    names.EXPERT: "专家并行",
    names.MICRO_BATCH: "微批大小",
    names.RECOMPUTE: "重计算",
    names.STEP_TIME: "单步时间",
    names.MFU: "MFU",
    names.INTERNODE: "节点间网络",
    names.STORAGE: "存储",
    names.GLOBAL_BATCH: "全局批大小",
    names.VIRTUAL_PIPELINE: "每级的块数",
}
VERDICTS = {"safe": "稳妥", "likely": "较可能", "tight": "紧张", "no": "不满足", "not judged": "未评定"}
_SHORT = {
    names.TIME: "时间",
    names.WALL_TIME: "日历时间",
    names.COST: "费用",
    names.WALL_COST: "日历费用",
    names.MEMORY: "显存",
    names.GPUS: "GPU 数",
    names.STEP_PER_TOKEN: "每 token 的估计步时",
}
_AUTHORED = ("plan", "used")
"""Origins of requirements whose texts are the author's. Those of the library are English: their figures are told."""

_UNJUDGED = {"equality": "计算值只在按计划时才等于上限", "asked": "条件中含有概率或分位数"}

COMMA, SEMICOLON = "，", "；"


def compared(left: Amount, operation: str, right: Amount, write: Callable[[Amount], str]) -> str:
    return inequality(left, operation, right, write)


class Labels(English):
    """Labels."""

    def label(self, name: str) -> Line:
        return line(LABELS[name]) if name in LABELS else self.code(name)

    def code(self, name: str) -> Line:
        return line(Code(cut(name, 60)))

    def input_column(self, path: str) -> Line:
        return line(LABELS.get(path) or cut(path.rpartition(".")[2].replace("_", " "), 40))

    def result_column(self, name: str) -> Line:
        return line(_SHORT.get(name) or cut(name, 40))

    def axis(self, name: str, first: bool = False) -> Line:
        return line(LABELS.get(name, name))

    def unit(self, text: str) -> str:
        return text.replace("token/s", "token/秒").replace("/GPU", "（每张 GPU）")

    def chance(self, chance: float | None, error: float | None = None) -> str:
        if chance is None:
            return ""
        said = percent(chance).replace("over ", "高于 ").replace("under ", "低于 ")
        return said if error is None else f"{said} ± {percent(error)}"

    def money(self, amount: Amount) -> str:
        return amount.rough() if names.is_money(amount) else amount.short()

    def unjudged(self, why: str) -> str:
        return _UNJUDGED[why]

    def all_of(self, listed: Sequence[str]) -> str:
        return "、".join(listed)

    def some_of(self, first: Sequence[str], more: int) -> str:
        return f"{'、'.join(first)} 等 {len(first) + more} 项"

    def both(self, texts: Sequence[str]) -> str:
        return " 和 ".join(texts)

    def needs(self, listed: str) -> str:
        return f"缺少 {listed}"

    def absent(self, name: str, needs: Sequence[str]) -> Line:
        return line(Code(name), "：", shortened(line("缺少 ", listed(map(Code, needs), "、")), 120), "。")

    def worth(self, row: Shown | Value, short: bool = False) -> Line:
        spread = "" if row.spread is None else f"（{row.spread.short() if short else row.spread.exact()}）"
        if isinstance(row, Shown) and not row.bounded:
            spread = "（无界）"
        band = row.band if isinstance(row, Shown) else None
        likely = "" if band is None else f"，十次运行中有八次在 {band.short() if short else band.exact()}"
        return line(self.known(row, short), spread, likely)

    def known(self, row: Shown | Value, short: bool = False) -> Line:
        if row.amount.value is not None:
            return line(row.amount.short() if short else row.amount.exact())
        if not row.given:
            return line("未给出")
        needs = f"缺少 {'、'.join(row.needs)}" if row.needs else "未知"
        return line(f"无定义：{row.reason}" if row.reason else needs)

    def case(self, rule: RequirementResult, short: bool = False) -> Line:
        own = rule.otherwise if rule.origin in _AUTHORED else ""
        return line(own) or self.values(rule, short) or line("不满足" if rule.holds is False else Code(rule.text))

    def reason_of(self, rule: RequirementResult) -> str:
        return rule.because if rule.origin in _AUTHORED else ""

    def in_unit(self, unit: str) -> str:
        return f"，{localized(unit)}" if unit else ""

    def values(self, rule: RequirementResult, short: bool = False) -> Line:
        if rule.undefined:
            return line(f"无定义：{rule.undefined}")
        return self.sides(rule.sides, short) if rule.sides is not None else EMPTY

    def sides(self, sides: Sides, short: bool = False) -> Line:
        said = compared(sides.left, sides.operation, sides.right, Amount.short if short else Amount.exact)
        return line(said, "（最坏情形）" if sides.worst else None)
