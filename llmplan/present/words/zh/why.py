"""Why it is this answer, in Chinese."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve

from llmplan.answer.schema.advice import Loss, Moved, Price
from llmplan.answer.schema.values import Beyond, Case, SolvedUnknown
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed, shortened
from llmplan.present.words.zh import units
from llmplan.present.words.zh.labels import Labels, compared
from llmplan.units.amount import Amount, Range, count, deviation, share

_MOST_OF_A_LAYOUT = 2
_HOW = {"search": "搜索", "closed form": "解析解", "numeric": "在连续区间上数值求解"}
_JUMPS = {"edge": "数值求解，位于跳变点边缘", "tried": "数值求解，取跳变点中最好的（未全部尝试）"}
_OFF = {"over": "超出", "short": "不足", "to spare": "余"}
_SENSES = {"minimize": "最小化", "maximize": "最大化"}


class Why(Labels):
    """Reasons."""

    why_heading = "为什么是这个答案"
    memory_parts = "显存"
    step_parts = "单步"
    first_token_parts = "首个 token"
    token_parts = "token"
    prices_title = "有代价的偏好"
    where_heading = "显存和时间用在哪里"

    def unknowns_title(self, solved: bool) -> str:
        return "求得" if solved else "最接近的"

    def method(self, unknown: SolvedUnknown) -> str:
        if unknown.how == "numeric" and unknown.jump:
            return _JUMPS[unknown.jump]
        return "在整数上搜索" if unknown.whole else _HOW[unknown.how]

    def domain(self, unknown: SolvedUnknown) -> str:
        if unknown.ends is not None:
            return f"{unknown.ends.low.exact()} .. {unknown.ends.high.exact()}"
        values = [value.exact() for value in unknown.values]
        return "、".join(values) if unknown.of == len(values) else f"{'、'.join(values[:-1])} … {values[-1]}"

    def how(self, unknown: SolvedUnknown, binding: str) -> Line:
        how = self.method(unknown)
        parts = [how if unknown.asked else f"{how}，默认待求"]
        past = unknown.beyond.value if unknown.beyond is not None else None
        if past is not None:
            parts.append(f"{past.exact()} 会违反 {binding}")
        elif binding:
            parts.append(f"起约束作用的：{binding}")
        beside = [one.exact() for one in (unknown.below, unknown.above) if one is not None and one != past]
        parts += [f"相邻可行值：{'、'.join(beside)}"] if beside else []
        return line("；".join(parts))

    def because_of(self, path: str, value: str, spread: Range | None, reasons: Line) -> Line:
        ends = f"（{spread.ends()}）" if spread is not None else ""
        return line(Code(path), f" = {value}{ends}：", reasons)

    def searched(self, path: str, value: str, feasible: str) -> Line:
        beside = f"（相邻可行值：{feasible}）" if feasible else None
        return line(Code(path), f" = {value}" if value else None, beside)

    def found_by_search(self, considered: int, unknowns: Line) -> Line:
        many = f"{count(considered)} 种组合"
        if not unknowns:
            return line(f"搜索了 {many}")
        return line("搜索求得", f"（{many}）" if considered > 1 else None, "：", unknowns)

    def next_best(self, layouts: Line) -> Line:
        return line("次优：", layouts)

    def differing(self, path: str, value: str) -> Line:
        return line(self.input_column(path), f" {value}")

    def alternative(self, differing: Line, loss: Loss | None, memory: Amount | None) -> Line:
        worse = shortened(self._loss(loss), 80) if loss is not None else EMPTY
        return line(differing, "（", listed([worse, memory.rough(2) if memory is not None else None], "，"), "）")

    def _loss(self, loss: Loss) -> Line:
        unmet = [line(Code(name), " 不满足") for name in loss.unmet]
        if not loss.objective:
            return listed(unmet, "，")
        relative, what = loss.relative, self.result_column(loss.objective)
        if relative is not None:
            return listed([*unmet, line(what, f" {deviation(relative)}")], "，")
        return listed([*unmet, line(what, f" {count(loss.best)} 变为 {count(loss.value)}")], "，")

    def rival(self, entry: Amount, loss: Loss | None, feasible: bool) -> Line:
        if not feasible:
            return line(f"{entry.exact()} 无可行方案")
        return line(entry.exact(), " ", self._loss(loss) if loss is not None else "同样好")

    def rivals_of(self, path: str, rivals: Sequence[Line], more: int) -> Line:
        rest = f"，另有 {more} 个" if more else None
        return line("其他 ", Code(path), "：", listed(rivals, "；"), rest, "。")

    def objective(self, sense: str, text: str, value: Amount | None) -> Line:
        return line(f"{_SENSES[sense]} ", Code(text), f"：{value.short()}" if value is not None else None)

    def asked_to(self, goals: Sequence[Line]) -> Line:
        return line("目标：", listed(goals, "，然后 "))

    def asked_to_trade(self, names: Sequence[str]) -> Line:
        return line("要求权衡 ", listed(map(Code, names), " 与 "))

    def sentences(self, said: Sequence[Line]) -> Line:
        return line(listed(said, "。"), "。")

    def exactly(self, equation: str | Code, exact: Amount | None) -> Line:
        return line(equation, f"，精确值 {exact.exact()}" if exact is not None else None)

    def feasible_at(self, ranges: Sequence[Range]) -> Line:
        ends = (
            one.low.exact() if one.low == one.high else f"{one.low.exact()} .. {one.high.exact()}" for one in ranges
        )
        return line(f"可行于 {' 或 '.join(ends)}")

    def set_by(self, requirements: Sequence[str], beyond: Line) -> Line:
        return line("由 ", listed(map(Code, requirements), " 和 "), " 决定：", beyond)

    def beyond(self, beyond: Beyond, short: bool = True) -> Line:
        named = len(beyond.cases) > 1 and beyond.cases[0].off != "not met"
        cases = (
            line(Code(one.name) if named else None, " " if named else None, self._violation(one, short))
            for one in beyond.cases
        )
        return line(f"取 {beyond.value.short() if short else beyond.value.exact()} 时：", listed(cases, "；"))

    def _violation(self, case: Case, short: bool) -> Line:
        written = self.money if short else Amount.exact
        if case.computed is not None and case.gap is not None:
            return line(f"{written(case.computed)}，{_OFF.get(case.off, case.off)} {written(case.gap)}")
        if case.sides is None:
            return line(_OFF.get(case.off, "不满足"))
        left, operation, right = case.sides
        return line(compared(left, operation, right, written))

    def open_by_default(self, unknowns: Sequence[tuple[str, str]]) -> Line:
        return line("默认待求：", listed((line(Code(path), f" = {value}") for path, value in unknowns), "，"))

    def preference(self, holds: bool, name: str, case: Line, because: str) -> Line:
        word = "偏好，已满足" if holds else "偏好，未满足"
        return line(f"{word}：", Code(name), "，", case, f"（{because}）" if because else None)

    def preference_costs(self, price: Price, saved: Sequence[Moved]) -> Line:
        costs = [evolve(one.by, value=abs(one.by.number)).like(one.before).rough() for one in saved]
        layout = [one for one in price.decided if one.sort == "switch"]
        few = len(layout) <= _MOST_OF_A_LAYOUT
        settings = [
            line(None if one.sort == "count" else line(self.input_column(one.name), " "), cut(one.after.exact(), 40))
            for one in price.decided
            if few or one not in layout
        ]
        risk = price.risk
        fits = None if risk is None else line(Code(risk.name), f" 概率 {self.chance(risk.chance)}")
        without = listed([*settings, None if few else "布局不同", fits], "，")
        return line(Code(price.name), f" 的代价为 {' 和 '.join(costs)}：不考虑它则为 ", without)

    def part_name(self, label: str) -> str:
        return units.part(label)

    def part(self, label: str, amount: Amount, of: float) -> str:
        return f"{label} {amount.parts()[0]}" + (f"（{share(of)}）" if of >= 0.05 else "")

    def share_of(self, label: str, of: float) -> str:
        return f"{label} {share(of)}"

    in_evaluation = "评估时："

    def memory_goes(self, parts: Iterable[str], evaluated: bool) -> Line:
        when = "（评估时）" if evaluated else ""
        return line(f"最满 GPU 的峰值显存{when}（GB）：{'、'.join(parts)}。")

    def step_goes(self, parts: Iterable[str]) -> Line:
        return line(f"单步（秒，未被计算掩盖的部分）：{'、'.join(parts)}。")

    def parts_of_the_estimate(self, estimate: Amount, assumed: Amount, gap: float) -> Line:
        side = "多" if gap > 0 else "少"
        return line(f"以上为估计值 {estimate.short()} 的组成；方案假定 {assumed.short()}，{side} {share(abs(gap))}。")

    def median_error(self, step: Amount, memory: Amount | None) -> Line:
        also = f"，显存为 {memory.short()}" if memory is not None else ""
        return line(f"在公开的运行上（每组用其余各组拟合的常数预测），单步时间的中位误差为 {step.short()}{also}。")

    def low_and_high_of(self, ranged: bool) -> Line:
        ends = "低和高是所给区间的两端" if ranged else "十次运行中有八次介于低和高之间"
        return line(f"{ends}。若更慢：检查输入流水线、网络和时钟频率；若显存更多：检查碎片和评估批次。")
