"""What single changes would bring, and what would make a plan possible, in Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.advice import Lever, Moved, Relaxation, as_made
from llmplan.present import names
from llmplan.present.blocks import Code, Line, Part, Strong, cut, line, listed
from llmplan.present.words.zh import units
from llmplan.present.words.zh.labels import Labels
from llmplan.units.amount import Amount, Range, percentage

_MOST_OF_A_LAYOUT = 2
_CHANGED = {
    "the numerics": "数值精度",
    "the updates": "参数更新",
    "the optimizer": "优化器",
    "what is trained": "训练的内容",
}

_SURE = {"safe": "稳妥：", "meets": "满足："}


class Changes(Labels):
    """Levers and cures."""

    levers_title = "可用的改动"
    cures_title = "怎样才可行"
    changes_title = "各项改动的收益"
    each_conflict_alone = "每行单独成立，均重新求解：先是同时解决所有冲突的，再是单独解决各冲突的。"
    each_change_alone = "每行单独成立，均重新求解："
    all_conflicts = "全部"
    conflict_column = "冲突"
    cure_column = "可行的改动"
    no_change = "没有找到改动"
    calendar_column = "按日历"
    change_column = "单项改动，其余重新求解"

    def brought(self, lever: Lever, moved: Sequence[Moved], band: tuple[str, Range] | None) -> Line:
        parts: list[Part] = [self.decided(lever)]
        told = (f"{one.name} {' '.join(one.by.beside(one.before).signed(3))}" for one in moved if not one.same)
        parts.append("，".join(told))
        parts += [f"{band[0]} 十次中有八次在 {band[1].rough(names.ends(band[0]))}"] if band is not None else []
        sure = _SURE.get(lever.purpose, "")
        parts += [f"{sure}{self.likely(lever)}"] if lever.chance is not None else []
        parts += self._besides(lever)
        return listed(parts, "；")

    def decided(self, lever: Lever) -> Line:
        layout = [one for one in lever.decided if one.sort == "switch" and one.name != lever.unknown]
        named = [one for one in lever.decided if len(layout) <= _MOST_OF_A_LAYOUT or one not in layout]
        told = [
            line(
                None if one.sort == "count" else line(self.input_column(one.name), " "),
                f"{cut(one.before.exact(), 40)} 变为 {cut(one.after.exact(), 40)}",
            )
            for one in named
        ]
        return listed([*told, "布局不同" if len(named) < len(lever.decided) else None], "，")

    def likely(self, lever: Lever) -> str:
        before = f"（原为 {self.chance(lever.chance_before)}）" if lever.riskier else ""
        return f"概率 {self.chance(lever.chance)}{before}"

    def _besides(self, lever: Lever) -> list[str]:
        changes = ["其余不变"] if lever.kept else []
        changes += [f"改变{_CHANGED.get(lever.changes, lever.changes)}"] if lever.changes else []
        return [*changes, *([f"价格：{units.source(lever.source)}"] if lever.source else [])]

    def gain(self, difference: Amount, of_memory: bool) -> str:
        return f"{'显存 ' if of_memory else ''}{' '.join(difference.signed(3))}"

    def to_be_safe(self, statement: str, gains: Line, chance: str) -> Line:
        brings = listed([gains, f"概率 {chance}" if chance else None], "，")
        return line(Strong(line("要稳妥")), "：", Code(statement), "（", brings, "）。")

    def cheapest_change(self, change: Line) -> Line:
        return line(Strong(line("代价最小的改动")), "：", change, "。")

    def another_card(self, change: Line) -> Line:
        return line(Strong(line("换一种卡")), "：", change, "。")

    def change(self, lever: Lever, gains: Line, band: tuple[str, Range] | None, rates: Sequence[str]) -> Line:
        sure: list[Line] = []
        if band is not None:
            sure.append(line(f"{band[0]} 十次中有八次在 {band[1].rough(names.ends(band[0]))}"))
        if lever.chance is not None:
            sure.append(line(self.likely(lever)))
        if rates:
            sure.append(line(listed(map(Code, rates), "、"), " 不变"))
        sure += map(line, self._besides(lever))
        decided = self.decided(lever)
        again = line("，", decided) if decided else None
        return line(Code(as_made(lever)), again, "（", gains, line("；", listed(sure, "，")) if sure else None, "）")

    def at_a_point(self, value: str, place: str) -> str:
        return f"{place} 时 {value}"

    def along(self, path: str, result: str, unit: str, points: Line) -> Line:
        return line(Code(result), f"（{unit}）" if unit else None, " 随 ", Code(path), "：", points, "。")

    def conflict_of(self, names: Sequence[str]) -> Line:
        return line(" 与 ".join(names))

    def cure(self, cure: Relaxation, most: int) -> Line:
        was = f"{cut(cure.before.short(), 60)} → " if cure.before is not None else ""
        values = cut(" 或 ".join(value.short() for value in cure.values[:most]), 80)
        more = len(cure.values) - most
        to = Code(cut(cure.condition, 80)) if cure.condition else values + (f" 或另外 {more} 个" if more > 0 else "")
        return line(self.code(cure.name), f"：{was}", to)

    def lever(self, lever: Lever) -> Line:
        values = f"{cut(lever.before.short(), 30)} → {cut(lever.amount.short(), 30)}"
        decided = self.decided(lever)
        again = line("；", decided) if decided else None
        chance = f"；{self.likely(lever)}" if lever.chance is not None else ""
        changes = "；其余不变" if lever.kept else ""
        changes += f"；改变{_CHANGED.get(lever.changes, lever.changes)}" if lever.changes else ""
        return line(self.input_column(lever.name), f"：{values}", again, f"{chance}{changes}")

    def rates_stay(self, rates: Sequence[str]) -> Line:
        return line("方案假定了 ", listed(map(Code, rates), "、"), "：改动对它的影响不在下列各行之中。")

    def one_point_more(
        self, name: str, before: float, after: float, changes: Sequence[tuple[str, Amount, Amount]]
    ) -> Line:
        moves = [line(Code(cut(one, 40)), f" 从 {self.money(old)} 变为 {self.money(new)}") for one, old, new in changes]
        return line(
            Code(name),
            f" 每提高一个百分点（{percentage(before)} 变为 {percentage(after)}）：",
            listed(moves, "，"),
            "。",
        )
