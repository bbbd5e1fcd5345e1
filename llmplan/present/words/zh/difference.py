"""What two plans differ in, in Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.difference import Apart, ChangedFile, Share, Threshold
from llmplan.answer.schema.summary import Altered
from llmplan.present.blocks import Code, Line, Strong, line, listed
from llmplan.present.words.en.labels import apart
from llmplan.present.words.zh.labels import Labels
from llmplan.units.amount import Amount, deviation

_FILES = {"changed": "已改变", "new": "新增", "gone": "不再写出"}


class Difference(Labels):
    """The difference of two plans."""

    causes_title = "各项改动单独的影响"
    files_title = "文件"
    thresholds_title = "条件"
    not_told_apart = "无法区分"
    details_title = "决定、输入、结果与原因"
    name_column = "名称"
    before_column = "之前"
    after_column = "之后"
    moved_column = "变化，以及十次实测中的八次"
    by_column = "改动"
    of_column = "影响"
    unchanged = "决定、结果和结论均无不同"
    breaks_off = "其余因篇幅省略；不带 `--markdown` 的 `llmplan diff` 给出全部内容。"

    def set_against(self, before: str, after: str, told: Line) -> Line:
        return line(Strong(line(Code(after))), " 对比 ", Code(before), "：", told)

    def no_longer_met(self) -> str:
        return "现在没有方案满足其要求"

    def never_met(self) -> str:
        return "与之前一样，没有方案满足其要求"

    def met_again(self) -> str:
        return "现在可以满足其要求"

    def moved_by(self, one: Apart) -> Line:
        by = " ".join(self._by(one).signed(3))
        return line(Code(one.name), f" {by}", self._share(one))

    def moved_from(self, one: Apart) -> Line:
        was, now = apart(one.before, one.after, self.money)
        return line(Code(one.name), f" {was} → {now}", self._share(one))

    def _share(self, one: Apart) -> str | None:
        parts = [deviation(one.change)] if one.change is not None else []
        parts += [] if one.told_apart else [self.not_told_apart]
        return f"（{'，'.join(parts)}）" if parts else None

    def other_work(self, before: Amount, after: Amount, change: float) -> Line:
        return line(f"训练量不同：{after.short()}，原为 {before.short()}（{deviation(change)}）")

    def moves_nothing(self, names: Sequence[str]) -> Line:
        return line(listed((Code(name) for name in names), "、"), " 不同，但没有结果随之变化")

    def newly_noted(self, text: str, before: bool) -> Line:
        return line(f"{'之前' if before else '现在'}：{text}")

    def change_of(self, one: Apart) -> str:
        if one.change is None:
            return " ".join(self._by(one).signed(3))
        band = "" if one.band is None else f"（{deviation(one.band[0])} 至 {deviation(one.band[1])}）"
        return f"{deviation(one.change)}{band}" + ("" if one.told_apart else f"，{self.not_told_apart}")

    def moves(self, share: Share, of: Apart) -> str:
        change = of.after.number - of.before.number
        return " ".join(Amount(share.share * change, of.after.measure, of.after.unit).beside(of.after).signed(3))

    def ends_of(self, one: Altered) -> tuple[str, str]:
        if one.what == "formula":
            return "一个公式", "另一个公式"
        return ("–" if one.before is None else str(one.before)), ("–" if one.after is None else str(one.after))

    def differs(self, file: ChangedFile) -> str:
        return _FILES[file.what]

    def threshold(self, one: Threshold) -> str:
        if one.met:
            return "成立：判为失败"
        return "不成立" if one.apart else "与无变化无法区分"

    def _by(self, one: Apart) -> Amount:
        return Amount(one.after.number - one.before.number, one.after.measure, one.after.unit).beside(one.after)
