"""What a change of a plan does, in Chinese."""

from __future__ import annotations

from llmplan.answer.schema.summary import Altered, Cause, Changed, Turned
from llmplan.present.blocks import Code, Line, Strong, line
from llmplan.present.words.en.labels import apart
from llmplan.present.words.zh.labels import VERDICTS, Labels
from llmplan.units.amount import Amount, deviation


class Summary(Labels):
    """The summary of a change."""

    inputs_changed = "输入"
    decided_anew = "决定"
    results_moved = "结果"
    verdicts_turned = "结论"

    def summary(self, plan: str, known: bool, told: Line) -> Line:
        if not told:
            return line(Strong(line(Code(plan))), "：所有答案和结果不变")
        return line(Strong(line(Code(plan))), "：" if known else "，首次编译：", told)

    def more_changes(self, more: int) -> Line:
        return line(f"另有 {more} 项")

    def altered(self, one: Altered) -> str:
        at = f"（{one.place}）" if one.place else ""
        if one.what == "formula":
            return f"`{one.name}` 的公式{at}已改变" + (f"（出处：{'；'.join(one.cites)}）" if one.cites else "")
        if one.what == "value":
            return f"{one.name} {_known(one.before)} → {_known(one.after)}{at}"
        if one.before is None:
            return f"新增要求 `{one.name}`：{one.after}"
        if one.after is None:
            return f"去掉了要求 `{one.name}`"
        return f"要求 `{one.name}` 原为 {one.before}，现为 {one.after}"

    def cause(self, one: Cause) -> str:
        return self.altered(one.change) + (f"：{self.altered(one.why)}" if one.why is not None else "")

    def value_changed(self, changed: Changed) -> Line:
        before = "" if changed.before is None else f"{changed.before.exact()} → "
        return line(Code(changed.name), f" {before}{changed.after.exact()}")

    def result_moved(self, changed: Changed, short: bool = False) -> Line:
        before, after = changed.before, changed.after
        if before is None:
            return line(Code(changed.name), f" {self.money(after)}")
        moved = _relative(before, after)
        if short and moved:
            return line(Code(changed.name), f" {self.money(after)}（{moved}）")
        was, now = apart(before, after, self.money)
        return line(Code(changed.name), f" {was} → {now}", f"（{moved}）" if moved else None)

    def verdict_turned(self, turned: Turned) -> Line:
        before = f"{self._judged(turned.before, turned.before_chance)} → " if turned.before else ""
        return line(Code(turned.name), f" {before}{self._judged(turned.after, turned.after_chance)}")

    def _judged(self, verdict: str, chance: float | None) -> str:
        return VERDICTS[verdict] if chance is None else f"{VERDICTS[verdict]}（{self.chance(chance)}）"


def _known(value: Amount | str | None) -> str:
    return "无" if value is None else str(value)


def _relative(before: Amount, after: Amount) -> str:
    if not (before.finite and after.finite and before.number):
        return ""
    return deviation(after.number / before.number - 1.0)
