"""Plans beside one another, in Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.requirements import RequirementResult
from llmplan.answer.schema.tables import Blocked, Row
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed
from llmplan.present.words.zh.labels import Labels
from llmplan.units.amount import Amount

_BOUNDS = {"le": "至多", "lt": "少于", "ge": "至少", "gt": "多于", "eq": "等于", "ne": "不等于"}


class Plans(Labels):
    """Tables of plans."""

    shown_title = "所求"
    shown_heading = "所求的量"
    value_column = "值"
    front_title = "前沿"
    front_heading = "帕累托前沿"
    sweep_heading = "扫描"
    scenarios_heading = "情景"
    best = "最优"
    ends_left_out = "终端较窄，区间未列出：--csv 中有。"
    as_good_as_any = "并列最优"
    the_plan_itself = "方案本身"

    def expression(self, text: str) -> Line:
        return line(Code(cut(text, 80)))

    def shown(self, rows: Sequence[tuple[Line, Line]]) -> Line:
        return line("所求：", listed((line(text, " = ", value) for text, value in rows), "，"), "。")

    def no_other_plan(self, more: int) -> Line:
        left = line(f"；另有 {more} 个点见 ", Code("solution.json")) if more else EMPTY
        return line("没有别的方案能在一个目标上更好而在另一个上不更差", left, "。")

    def feasible_points(self, feasible: int, points: int, thinned: bool) -> Line:
        more = line("；", Code("llmplan sweep"), " 列出全部") if thinned else EMPTY
        return line(f"{points} 个点中 {feasible} 个可行", more, "。")

    def assumed_in_every_row(self, rates: Sequence[tuple[str, Amount]]) -> Line:
        said = listed((line(Code(name), f" = {amount.short()}") for name, amount in rates), "，")
        return line("各行均假定：", said, "。")

    def ends_of_figures(self, below: bool, ranged: bool) -> str:
        where = "数字下方" if below else "括号内"
        ranges = "由给出的区间得到的范围，否则为" if ranged else ""
        return f"{where}：{ranges}十次实测中八次所在的范围。"

    def in_every_row(self, told: Sequence[str]) -> str:
        return f"各行相同：{'，'.join(told)}。"

    def reason(self, row: Row) -> Line:
        if row.errors or not row.conflict:
            return line("；".join(row.errors))
        tail = "，但并未尝试每个跳变点" if row.partly else ""
        if len(row.conflict) == 1:
            (blocked,) = row.conflict
            first = "放不下" if blocked.name == names.FITS else f"违反 {blocked.name}"
            return line(first, self._case(blocked), tail)
        cases = (line(one.name, self._case(one) if one.fails else None) for one in row.conflict)
        return line("冲突：", listed(cases, "；"), tail)

    def _case(self, blocked: Blocked) -> Line:
        rule = blocked.result
        reason = blocked.reason or (rule.undefined if rule is not None else "")
        if reason or rule is None:
            return line("：", reason) if reason else EMPTY
        known = [line(rule.otherwise), self._bound(rule)]
        said = known if any(known) else [line(rule.because or rule.text)]
        return line("：", listed(said, "；")) if any(said) else EMPTY

    def _bound(self, rule: RequirementResult) -> Line:
        row, sides = rule.compared, rule.sides
        if row is not None and row.asked is not None:
            chance = self.chance(rule.chance) or "未知"
            return line(f"概率 {chance}，要求至少 {self.chance(row.asked)}")
        if sides is None or rule.otherwise and row is None:
            return EMPTY
        subject, limit, operation = sides.left, sides.right, sides.operation
        if row is not None and not sides.worst:
            subject, limit, operation = row.planned, row.limit, row.operation
        texts = subject.short(), limit.short()
        if texts[0] == texts[1]:
            texts = subject.exact(), limit.exact()
        worst = "（最坏情形）" if sides.worst else ""
        return line(f"{texts[0]}{worst}，要求{_BOUNDS[operation]} {texts[1]}")
