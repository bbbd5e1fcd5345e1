"""What an answer rests on and leaves out, and what a command says of its files, in Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.advice import Assumed, Cliff, Default, Skipped
from llmplan.answer.schema.solution import BestPoint, Replaced
from llmplan.answer.schema.values import Read
from llmplan.present import names
from llmplan.present.blocks import Code, Line, cut, line, listed
from llmplan.present.words.zh import units
from llmplan.present.words.zh.labels import Labels
from llmplan.units.amount import Amount, Range, deviation, share


class Basis(Labels):
    """Assumptions, notes, files."""

    not_computed = "未计算"
    no_value = "无值"
    assumed_title = "假定"
    replaced_title = "方案自己的公式"
    measured_title = "实测"
    notes_title = "说明"
    basis_heading = "答案的依据"
    notes_heading = "警告与说明"
    omitted_heading = "未包括"
    near_layouts = "时间相差不到 5% 的两个布局，单步时间的模型分辨不出先后。"
    quality_left_out = "模型质量：不预测损失和准确率。"
    serving_left_out = "超出随机到达的突发，以及长度不同的请求；推测解码；独立的预填充池。"
    loading_left_out = "数据读取和日志，除非与计算重叠。"
    script_memory_left_out = "训练脚本自身占用的显存：评估批次、权重平均、指标。"

    def results_title(self, banded: bool) -> str:
        return "结果，以及十次实测中的八次" if banded else "结果"

    def result(self, value: Amount, spread: Range | None, digits: int) -> Line:
        return line(self.money(value), f"（{spread.rough(digits)}）" if spread is not None else None)

    def risk(self, name: str, taken: Amount, worse: Amount, result: str, change: float) -> Line:
        said = f" 按 {taken.short()} 计，方案没有给出：若为 {worse.short()}，"
        return line(Code(name), said, Code(result), f" 增加 {share(change)}。")

    def list_price(self, source: str) -> Line:
        return line(f"价格为目录价（{units.source(source)}）；费用随之同比例变化。")

    def assumption(self, assumed: Assumed, short: bool = False) -> Line:
        if assumed.amount is None:
            return line(assumed.name)
        if not assumed.why:
            return line(f"1 {assumed.name} = {assumed.amount.exact()}（由方案给出）")
        return line(f"{assumed.name} = {assumed.amount.short() if short else assumed.amount.exact()}（{assumed.why}）")

    def default(self, choice: Default) -> Line:
        change = f"{choice.result} {deviation(choice.change)}"
        return line(
            f"{choice.name} = {choice.amount.exact()}（默认；若为 {choice.instead.exact()}，其余不变：{change}）"
        )

    def assumed(self, assumption: Line) -> Line:
        return line("假定：", assumption)

    def as_measured(self, read: Read, far: bool) -> tuple[Line, Line]:
        said = f"标准库给出 {read.before.short()}，计入实测后为 {read.after.short()}"
        said += "；与本方案不相近" if far else ""
        return line(f"“{read.run}”"), line(f"{read.name} {read.seen.short()}；", said)

    def measured(self, read: Read, far: bool) -> Line:
        name, said = self.as_measured(read, far)
        return line("实测：", name, "，", said, f"（{read.place}）。")

    def replaced(self, formula: Replaced) -> Line:
        instead = f"方案的公式而非标准库的（{formula.instead}）" if formula.instead else "新公式"
        return line(Code(formula.name), f" 用{instead}计算：", Code(cut(formula.text, 120)), f"（{formula.place}）。")

    def new_formula(self, formula: Replaced) -> Line:
        instead = f"，代替标准库的（{formula.instead}）" if formula.instead else ""
        return line(f"{formula.text}（{formula.place}）{instead}")

    def cliff(self, cliff: Cliff) -> Line:
        value = f"{cliff.unknown} = {cliff.value.exact()}"
        if not cliff.input:
            return line("若没有 ", Code(cliff.rule), f"，{value} 也可行")
        return line(f"若 {cliff.input} = {cliff.to}，{value} 也可行（", Code(cliff.rule), "）")

    def skipped(self, entries: Skipped) -> Line:
        more = entries.count - len(entries.names)
        these = "、".join(entries.names) + (f" 等 {entries.count} 项" if more > 0 else "")
        return line(f"未考虑：{these}（", Code(entries.objective), f"：{entries.reason}）")

    def best_point(self, point: BestPoint) -> Line:
        which = "最好的" if point.best else "第一个"
        named = listed(map(Code, point.names), " 和 ")
        return line(named, f" 只有扫描给出的值：这是 {point.of} 个点中{which}")

    def warning(self, code: str, message: str) -> Line:
        return line(f"{code}：{message}")

    def more_notes(self, more: int) -> str:
        return f"另有 {more} 项见 `llmplan compile` 的报告"

    def failures_left_out(self) -> Line:
        return line("故障、重启、评估和排队：", Code(names.TIME), " 只含训练步骤。")

    def how_to_explain(self) -> Line:
        return line(Code("llmplan explain PLAN"), " 列出可解释的量；", Code("--all"), " 给出每个量的公式和来源。")

    def since_the_last_compile(self, told: str) -> str:
        return f"与上次编译相比：{told}"

    def written(self, check: bool, directory: str, files: Sequence[str]) -> str:
        return f"{'已是最新' if check else '已写入'} {directory}：{'、'.join(files)}"

    def out_of_date(self, directory: str, files: Sequence[str]) -> str:
        return f"已过期 {directory}：{'、'.join(files)}"

    def missing(self, directory: str, files: Sequence[str]) -> str:
        return f"缺少 {directory}：{'、'.join(files)}"

    def removed(self, file: str) -> str:
        return f"已删除 {file}：不再生成"

    def left(self, file: str, why: str) -> str:
        return f"保留 {file}：{why}"

    def next(self, command: str) -> str:
        return f"下一步：{command}"
