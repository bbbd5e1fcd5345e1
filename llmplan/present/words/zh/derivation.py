"""How a value comes about, in Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.requirements import Compared, RequirementResult
from llmplan.answer.schema.values import Read
from llmplan.present.blocks import Line, line
from llmplan.present.words.zh.labels import VERDICTS, Labels, compared
from llmplan.units.amount import Amount

_LAYERS = {
    "plan": "由方案给出",
    "used": "由引用的文件给出",
    "entry": "来自目录",
    "default": "默认值",
    "formula": "公式",
    "replaced": "方案的公式，代替标准库的",
    "assumed": "假定",
    "solved": "求得",
    "scenario": "由情景给出",
    "--set": "由命令行给出",
    "waived": "被方案豁免",
    "measured": "由实测的运行修正",
}
_HOLDS = {True: "成立", False: "不成立", None: "未检查"}


class Derivation(Labels):
    """Steps of a derivation."""

    def layer(self, layer: str) -> str:
        return _LAYERS.get(layer, layer)

    def instead_of(self, origin: str) -> str:
        return f"代替 {origin}"

    def prior(self, value: Amount, runs: Sequence[str]) -> Line:
        return line(f"不计{'、'.join(f'“{run}”' for run in runs)}的实测则为 {value.exact()}")

    def no_prior(self) -> Line:
        return line("没有实测与本方案相近：与不计实测相同")

    def as_read(self, read: Read) -> Line:
        said = f"读数 {read.seen.exact()}，标准库给出 {read.before.exact()}，计入实测后为 {read.after.exact()}"
        return line(f"实测“{read.run}”：{said}，{read.place}")

    def source(self, citation: str) -> str:
        return f"来源：{citation}"

    def graph_of(self, name: str, value: str) -> str:
        return f"{name} = {value} 取决于什么"

    def graph_of_uses(self, name: str, value: str) -> str:
        return f"什么取决于 {name} = {value}"

    def graph_alt(self, title: str, names: Sequence[str]) -> str:
        return f"{title}：{'、'.join(names)}。" if names else f"{title}：无。"

    def judgement(self, rule: RequirementResult) -> Line:
        everywhere = "（按期望值成立，最坏情形不成立）" if rule.certainty == "expected" else None
        fails = f"：{rule.otherwise}" if rule.otherwise else None
        return line(
            _HOLDS[rule.holds], everywhere, fails, f"：{self.needs('、'.join(rule.needs))}" if rule.needs else None
        )

    def verdict_as_planned(self, verdict: str, chance: str) -> Line:
        return line(f"按计划：{VERDICTS[verdict]} {chance}".rstrip())

    def verdict_on_the_calendar(self, text: str, row: Compared | None, verdict: str, chance: str) -> Line:
        figures = compared(row.planned, row.operation, row.limit, Amount.exact) if row is not None else ""
        both = f"{text}（{figures}）" if text and figures else text or figures
        judged = f"{VERDICTS[verdict]} {chance}".rstrip()
        return line(f"按日历：{both}，{judged}" if both else f"按日历：{judged}")

    def verdict_of_it(self, verdict: str, chance: str) -> Line:
        return line(f"结论：{VERDICTS[verdict]} {chance}".rstrip())

    def found_by(self, method: str, domain: str) -> Line:
        return line(f"{method}，范围 {domain}")

    def binding(self, requirements: Sequence[str], beyond: Line) -> Line:
        return line(f"起约束作用的要求：{'、'.join(requirements)}", line("。", beyond) if beyond else None)

    def next_feasible(self, value: Amount, below: bool) -> Line:
        return line(f"{'更小' if below else '更大'}的相邻可行值：{value.exact()}")
