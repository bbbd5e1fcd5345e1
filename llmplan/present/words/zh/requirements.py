"""Rows about requirements, in Chinese."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llmplan.answer.schema.requirements import Compared, Operation, Sides
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed, shortened
from llmplan.present.words.en.labels import SIGNS
from llmplan.present.words.zh import units
from llmplan.present.words.zh.labels import VERDICTS, Labels, compared
from llmplan.units.amount import Amount, Range, percentage

_ENDS = {True: "您的范围，否则十次中的八次", False: "十次中的八次"}
_SUBJECTS = {names.TIME: "时间", names.WALL_TIME: "时间", names.COST: "费用", names.WALL_COST: "费用"}
_MARKS = {"safe": "✓", "likely": "⚠", "tight": "⚠", "no": "✗", "not judged": "–"}
_SIDES = {"spare": "余", "over": "超出", "short": "差"}
_AT_LIMIT = "恰在上限"
_JUDGED = {"equality": "改用 <= 或 >= 即可评定", "asked": "单独写成一条要求即可评定"}
_MET = {None: "未检查", True: "满足", False: "不满足"}
_DEPARTURES = {"waived": "豁免", "replaced": "替换"}
_ORIGINS = {"plan": "方案", "used": "引用的文件", "library": "标准库"}


class Requirements(Labels):
    """Rows about requirements."""

    planned_column = "计划"
    verdict_column = "结论"
    limit_column = "上限"
    departures_title = "豁免或替换的要求"
    preferences_title = "偏好"
    not_checked = "未检查"
    not_at_every_point = "；并非在区间的每一点都成立"
    no_deadline = "ⓘ 方案中没有期限"
    no_budget = "ⓘ 方案中没有预算"
    price_row = line("价格")

    def planned_figures(self, ranged: bool) -> Line:
        return line(f"按计划（{_ENDS[ranged]}）")

    def calendar_figures(self, ranged: bool) -> Line:
        return line(f"按日历（{_ENDS[ranged]}）")

    def verdict(self, verdict: str) -> str:
        return VERDICTS[verdict]

    def met(self, holds: bool | None) -> str:
        return _MET[holds]

    def departure(self, what: str) -> str:
        return _DEPARTURES[what]

    def departed(self, text: str, by: str, place: str, because: str) -> Line:
        instead = f"{by}，代替 {text}" if by else text
        return line(f"{instead}（{place}：{because or '未说明理由'}）")

    def departure_of(self, name: str, origin: str) -> Line:
        return line(self.code(name), f"（{_ORIGINS.get(origin, origin)}）")

    def departure_because(self, what: str, by: str, because: str) -> Line:
        instead = line("为 ", Code(cut(by, 80))) if by else EMPTY
        return line(f"ⓘ {_DEPARTURES[what]}", instead, f"：{cut(because or '未说明理由', 120)}")

    def more_in_the_report(self, more: int) -> str:
        return f"报告中另有 {more} 项"

    def held(self, count: int) -> str:
        return f"标准库的 {count} 项要求成立"

    def not_checked_names(self, listed: str) -> str:
        return f"未检查：{listed}"

    def compared(self, row: Compared, side: str, calendar: bool) -> Line:
        where = "（按日历）" if calendar else ""
        said = compared(row.planned, row.operation, row.limit, self.money)
        return line(f"{said}{where}，{_margin(row.gap, side, self.money)}")

    def in_the_worst_case(self, sides: Sides, gap: Amount, side: str) -> Line:
        return line(self.sides(sides, short=True), f"，{_margin(gap, side)}")

    def subject(self, name: str) -> Line:
        return line(_SUBJECTS[name]) if name in _SUBJECTS else self.label(name)

    def required(self, name: str, text: str, subject: str | None) -> Line:
        about = self.subject(subject) if subject is not None else line(Code(cut(text, 70)))
        return line(f"{name}（", about, "）") if name and name != text else about

    def limit(self, operation: Operation, limit: Amount, gap: Amount, side: str, because: str, worst: bool) -> Line:
        case = f"：{cut(because, 120)}" if because else ""
        margin = _margin(gap, side, self.money) + ("（最坏情形）" if worst else "")
        return line(f"{SIGNS[operation]} {self.money(limit)}，{margin}{case}")

    def capacity(self, room: Amount | None, gap: Amount | None, side: str) -> Line:
        of = f"共 {room.short()}" if room is not None else ""
        margin = _margin(gap, side, self.money) if gap is not None else ""
        return line("，".join(filter(None, (of, margin))))

    def reason_of_the_author(self, because: str) -> Line:
        return line(f"；理由：“{cut(because, 120)}”") if because else EMPTY

    def also(self, said: Line) -> Line:
        return line("；", said) if said else EMPTY

    def a_month(self, cost: Amount | None) -> Line:
        return EMPTY if cost is None else line(f"每 30 天 {cost.rough()}")

    def not_checked_for(self, needs: Sequence[str]) -> Line:
        return line("– 未检查：缺少 ", listed(map(Code, needs[:4]), "、"))

    def marked(self, verdict: str, chance: str) -> Line:
        return line(f"{_MARKS.get(verdict, '–')} {VERDICTS[verdict]} {chance}".rstrip())

    def as_it_is_planned(self, planned: Amount, verdict: str, chance: str) -> Line:
        judged = f"，{VERDICTS[verdict]} {chance}".rstrip() if verdict else ""
        return line(f"；按计划 {self.money(planned)}{judged}")

    def asked(self, share: float) -> Line:
        return line(f"；要求 {percentage(share)}")

    def rests_on(self, rates: Sequence[str]) -> Line:
        return line("；", listed(map(Code, rates), "、"), " 是假定值：给出区间，或给出带布局的模型，即可评定")

    def is_unjudged_for(self, why: str) -> Line:
        return line(f"；{self.unjudged(why)}：{_JUDGED[why]}")

    def judged_on_the_calendar(self, verdict: str, chance: str) -> Line:
        return line("；结论按日历；按计划为 ", f"{VERDICTS[verdict]} {chance}".rstrip())

    def more_requirements(self, more: int) -> str:
        return f"另有 {more} 项要求"

    def in_the_json(self) -> Line:
        return line("见 ", Code("solution.json"))

    def fails(self, case: Line, because: str) -> Line:
        return line("✗ 不满足：", shortened(case, 120), f"（{cut(because, 100)}）" if because else None)

    def no_price(self, gpu: str) -> Line:
        return line(f"ⓘ 目录中没有 {gpu} 的价格")

    def price(self, price: Amount, ends: Range | None, source: str) -> Line:
        said = price.short() if ends is None else f"{price.short()}（{ends.ends()}）"
        text = said.replace(" USD/GPU/hour", " 美元/GPU/小时")
        return line(cut(f"单价 {text}{f'（{units.source(source)}）' if source else ''}", 120))


def _margin(gap: Amount, side: str, written: Callable[[Amount], str] = Amount.short) -> str:
    return f"{_SIDES[side]} {written(gap)}" if gap.number else _AT_LIMIT
