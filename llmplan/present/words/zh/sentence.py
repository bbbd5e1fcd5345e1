"""The answer in a sentence or two, in Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.advice import Lever, as_made
from llmplan.answer.schema.requirements import Compared
from llmplan.answer.schema.solution import Shown
from llmplan.answer.schema.values import Value
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Code, Line, cut, line, listed
from llmplan.present.words.en.labels import SIGNS
from llmplan.present.words.zh.labels import LABELS, VERDICTS, Labels
from llmplan.units.amount import Amount, Range, count, percentage

_CHOSEN = {**LABELS, names.ZERO_STAGE: "ZeRO 阶段", names.HFU: "HFU"}
_BOUNDS = {
    "memory": "缓存显存（请求排队）",
    "bandwidth": "显存带宽",
    "compute": "算力",
    "latency": "内核与集合通信的启动",
}
_METHODS = {names.LORA: "LoRA", names.QLORA: "QLoRA"}
_TASKS = {
    names.DPO: "，以 DPO 训练",
    names.IPO: "，以 IPO 训练",
    names.KTO: "，以 KTO 训练",
    names.ORPO: "，以 ORPO 训练",
    names.SIMPO: "，以 SimPO 训练",
    names.REWARD: "，作为奖励模型",
    names.DISTILL: "，以蒸馏训练",
}
_LIMITS = {"deadline": "期限", "budget": "预算", "limit": "上限"}


class Sentence(Labels):
    """The first sentences."""

    nearest_plan_below = "以下数字属于最接近的方案；没有写出启动文件。"

    def not_solved(self, plan: str) -> Line:
        return line(f"{plan} 未求解。")

    def a_single(self, gpu: str) -> Line:
        return line(f"一张 {gpu}")

    def machines(self, gpus: int, gpu: str, nodes: int) -> Line:
        return line(f"{count(gpus)} 张 {gpu or 'GPU'}", f"（{count(nodes)} 个节点）" if nodes > 1 else None)

    def model(
        self, name: str, overridden: Sequence[tuple[Amount, str]], method: str, rank: Amount | None, task: str
    ) -> Line:
        sizes = "、".join(f"{field} = {amount.exact()}" for amount, field in overridden)
        by = _METHODS.get(method)
        return line(
            name,
            f"（{sizes}）" if sizes else None,
            _TASKS.get(task),
            f"，用 {by}" if by else None,
            f"（秩 {rank.exact()}）" if by and rank is not None else None,
        )

    def model_of(self, size: Amount) -> Line:
        return line(f"{size.short()}的模型")

    def chosen(self, path: str, value: Amount) -> Line:
        return line(f"{_CHOSEN.get(path) or path.rpartition('.')[2].replace('_', ' ')} {value.exact()}")

    def with_(self, settings: Line) -> Line:
        return line("，取 ", settings)

    def trains(self, machines: Line, single: bool, model: Line, tokens: Amount | None, epochs: Amount | None) -> Line:
        seen = f"，数据 {tokens.short()}" if tokens is not None else None
        if tokens is not None and epochs is not None:
            seen = f"，数据 {tokens.short()} × {epochs.short()} 轮"
        return line(machines, "训练 ", model or "该模型", seen)

    def planned(self, time: Value, cost: Value | None) -> Line:
        band = f"（十次运行中有八次在 {time.band.ends()}）" if time.band else ""
        ends = f"（{time.spread.ends()}）" if time.spread else band
        if cost is None:
            return line(time.amount.short(), ends)
        price = f"，{cost.amount.rough()}"
        return line(time.amount.short(), ends, price, f"（{cost.spread.ends()}）" if cost.spread else None)

    def in_planned(self, trains: Line, planned: Line, chosen: Line) -> Line:
        return line(trains, "：", planned, chosen, "。")

    def as_planned(self, time: Value, cost: Value | None, wall: Amount) -> Line:
        price = f"、{cost.amount.rough()}" if cost is not None else ""
        return line(time.amount.short(), price)

    def on_the_calendar(
        self, trains: Line, wall: Amount, ends: Range, cost: Amount | None, chosen: Line, planned: Line, judged: Line
    ) -> Line:
        bill = f"、{cost.rough()}" if cost is not None else ""
        about = f"：日历时间 {wall.rough()}（{ends.ends(2)}）{bill}；若每一步都按计划进行则为 "
        means = line("；", judged) if judged else EMPTY
        return line(trains, about, planned, chosen, means, "。")

    def limited(self, name: str, text: str, row: Compared, figure: Amount | None) -> Line:
        limit, known = self.money(row.limit), f"；日历值 {self.money(figure)}" if figure is not None else ""
        if name in _LIMITS:
            return line(f"{limit}的{_LIMITS[name]}", f"（{known[1:]}）" if known else None)
        if not name or name == text:
            return line(Code(text), f"（{known[1:]}）" if known else None)
        return line(Code(name), f"（{SIGNS[row.operation]} {limit}{known}）")

    def compound(self, name: str, text: str) -> Line:
        asked = Code(cut(text, 80))
        return line(Code(name), "（", asked, "）") if name and name != text else line(asked)

    def has_a_chance(self, subject: Line, safe: bool, chance: str, planned: str, asked: float | None) -> Line:
        beside = f"按计划 {planned}" if planned else ""
        wanted = f"，要求 {percentage(asked)}" if asked is not None else None
        if safe:
            return line(subject, f"稳妥（{'；'.join(filter(None, (chance, beside)))}）", wanted)
        return line(subject, f"达成的概率为 {chance}", f"（{beside}）" if beside else None, wanted)

    def is_not_judged(self, subject: Line, rates: Sequence[str]) -> Line:
        return line(subject, "未评定，因为 ", listed(map(Code, rates), "、"), " 是假定值")

    def surer(self, meets: Lever | None, safe: Lever | None, several: bool) -> Line:
        met = "" if meets is None else f"{self._stated(meets)} 可以达成（{self.chance(meets.chance)}）"
        if safe is None:
            return line(f"{met}。") if met else EMPTY
        up = safe.amount.number > safe.before.number
        bound = "从" if up else "至多"
        sure = f"{bound} {self._stated(safe)} 起稳妥（{self.chance(safe.chance)}）" if up else ""
        sure = sure or f"{bound} {self._stated(safe)} 稳妥（{self.chance(safe.chance)}）"
        return line(f"{met}；{sure}。" if met else f"{sure}。")

    def _stated(self, lever: Lever) -> str:
        return lever.amount.short() if lever.name == names.GPUS else as_made(lever)

    def needs_memory(self, model: Line, machines: Line, memory: Amount, chosen: Line) -> Line:
        return line(model, "，", machines, f"：每张 GPU 需要 {memory.short()}", chosen, "。")

    def serves(
        self,
        needed: int,
        gpus: int,
        gpu: str,
        queries: Amount | None,
        model: Line,
        cost: Amount | None,
        chosen: Line,
    ) -> Line:
        rate = "" if queries is None else f"，每分钟 {queries.rough()}"
        price = "" if cost is None else f"，每百万输出 token {cost.short()}"
        enough = f"{count(needed)}/" if needed < gpus else ""
        who = f"{enough}{count(gpus)} 张 {gpu or 'GPU'} 部署 "
        return line(who, model or "该模型", f"{rate}{price}", chosen, "。")

    def answers_in(self, first: Value, token: Value, latency: Amount, copies: tuple[int, Amount], bound: str) -> Line:
        number, each = copies
        return line(
            f"首个 token {self._within(first)}，之后每个 {self._within(token)}，整个回答 {latency.short()}；",
            f"{count(number)} 份，每份 {each.short()}，瓶颈是{_BOUNDS.get(bound, bound)}。",
        )

    @staticmethod
    def _within(value: Value) -> str:
        ends = value.spread or value.band
        return value.amount.short() + (f"（{ends.ends()}）" if ends else "")

    def takes_compute(self, model: Line, tokens: Amount | None, flops: Amount, machines: Line, chosen: Line) -> Line:
        data = f"（{tokens.short()}）" if tokens is not None else None
        on = line("，", machines) if machines else EMPTY
        return line("训练 ", model or "该模型", data, f" 需要 {flops.short()}", on, chosen, "。")

    def solved(self, what: Sequence[Line], known: bool, settings: Line) -> Line:
        return line("已求解：", listed(what, "，"), "，取 " if known else None, settings, "。")

    def equation(self, row: Shown) -> Line:
        return line(f"{row.text} = ", self.worth(row))

    def nothing_to_solve(self, rows: Sequence[Line], what: Sequence[Line]) -> Line:
        if rows:
            return line(listed(rows, "，"), "。")
        known = listed(what, "，")
        return line("没有待求的量", "：" if known else None, known, "。")

    def front_between(self, count: int, names: Sequence[str], first: Sequence[Amount], last: Sequence[Amount]) -> Line:
        ends = ["、".join(map(self.money, end)) for end in (first, last)]
        traded = listed(map(Code, names), " 与 ")
        return line(f"{count} 个方案在 ", traded, f" 之间取舍：从 {ends[0]} 到 {ends[1]}。第一个：")

    def more_verdicts(self, more: int) -> Line:
        return line(f"另有 {more} 项见表。")

    def verdict_subject(self, name: str, text: str, row: Compared | None) -> Line:
        subject = _LIMITS.get(name) or Code(name or text)
        if row is None:
            return line(subject)
        limit = self.money(row.limit)
        bound = f" {limit}" if name in _LIMITS else f"（{SIGNS[row.operation]} {limit}）" if name else None
        return line(subject, bound)

    def was_not_checked(self, subject: Line, needs: Sequence[str]) -> Line:
        return line(subject, f"未检查：缺少 {'、'.join(needs)}。")

    def is_missed(self, subject: Line, gap: Amount | None) -> Line:
        return line(subject, "未达到", f"，相差 {gap.short()}" if gap is not None else None, "。")

    def is_safe(self, subject: Line, expected: str | None) -> Line:
        doubt = "" if expected is None else f"（{expected}），但并非在区间的每一点都成立"
        return line(subject, f"稳妥{doubt}。")

    def is_uncertain(self, subject: Line, verdict: str, chance: str, planned: str) -> Line:
        beside = f"；按计划 {planned}" if planned else ""
        if verdict == "no":
            return line(subject, f"按日历达不到（{chance}{beside}）。")
        return line(subject, f"{VERDICTS[verdict]}（{chance}{beside}），不算稳妥。")

    def is_unjudged(self, subject: Line, rates: Sequence[str], why: str) -> Line:
        assumed = line(listed(map(Code, rates), "、"), " 是假定值")
        return line(subject, "未评定：", assumed if rates else line(self.unjudged(why)), "。")

    def does_not_fit(self, gap: Amount) -> Line:
        return line(f"显存放不下：超出 {gap.rough()}。")

    def fits(self, spare: Amount) -> Line:
        return line(f"显存放得下，余 {spare.rough()}。")

    def fits_with_a_chance(self, chance: str, size: Amount, spare: bool) -> Line:
        return line(f"显存放得下的概率为 {chance}，{'余' if spare else '超出'} {size.rough()}。")

    def memory_is_tight(self, chance: str, size: Amount, spare: bool) -> Line:
        side = "余" if spare else "超出"
        return line(f"显存紧张：放得下的概率为 {chance}，{side} {size.rough()}。")

    def no_plan(
        self, partly: bool, clashes: Sequence[Line], more: int, conflict: Sequence[str], cure: Sequence[Line]
    ) -> Line:
        meets = "没有找到方案满足 " if partly else "没有方案满足 "
        failing = listed(clashes, " 或 ") or listed(map(Code, conflict), " 与 ") or "各项要求"
        others = f"，另有 {more} 项" if more else None
        if cure:
            return line(meets, failing, others, "；改为 ", listed(cure, " 和 "), " 即可。")
        none = "没有找到能使各项同时成立的改动。" if len(clashes) > 1 else None
        return line(meets, failing, others, "。", none)

    def conflict(self, names: Sequence[str], row: Compared | None, said: Line = EMPTY) -> Line:
        case = f"（{self.money(row.planned)}，上限 {self.money(row.limit)}）" if row else None
        return line(listed(map(Code, names), " 与 "), case, line("（", said, "）") if said else None)

    def asked_chance(self, chance: str, asked: float) -> Line:
        return line(f"概率 {chance}，要求 {percentage(asked)}")

    def change_to(self, statement: str) -> Line:
        return line(Code(statement))
