"""What stands in charts, in Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.answer.schema.requirements import Operation
from llmplan.present import names
from llmplan.present.words.en.labels import SIGNS
from llmplan.present.words.zh.labels import VERDICTS, Labels
from llmplan.units.amount import Range

_LIMITS = {"le": "至多", "lt": "低于", "ge": "至少", "gt": "高于", "eq": "等于"}
_BANDS = {names.REALISED: "公开运行的实际情况", names.STEP_ESTIMATE: "单步时间的模型"}
_STAGES = {"first": "第一级", "second": "第二级", "last": "最后一级"}


class Charts(Labels):
    """Texts of charts."""

    measured_runs = "十次实测中的八次"
    plan_ranges = "方案给出的区间"
    the_answer = "答案"
    nearest_plan = "最接近的方案"
    whole_step = "单步时间"
    on_the_calendar_series = "按日历"
    planned_series = "按计划"
    less_than_a_per_cent = "< 1"
    run_planned = "每一步都按计划"
    run_slower = "公开运行多用的时间"
    run_lost = "故障、重启和保存"
    run_whole = "按日历"
    stage_weights = "权重"
    stage_optimizer = "优化器"
    stage_gradients = "梯度"
    stage_activations = "激活"
    stage_rest = "其余"
    failures_row = "预计的故障"
    saves_row = "保存"
    ranges_foot = "每一条：该项取低端和高端、其余取期望值时的结果。"

    def smaller_parts(self, count: int) -> str:
        return f"其余 {count} 个小项"

    def by_input(self, result: str, input_: str) -> str:
        return f"{result}随{input_}的变化"

    def curve_title(self, title: str, subject: str, marks: Sequence[tuple[str, str]]) -> str:
        return f"{self.among(title, subject)}（{'，'.join(label for label, _ in marks)}）"

    def among(self, title: str, subject: str) -> str:
        return f"{title}，{subject}" if subject else title

    def limit_line(self, requirement: str, operation: str, value: str) -> str:
        return f"{requirement}：{_LIMITS[operation]} {value}"

    def verdict_of_a_point(self, verdict: str, chance: str) -> str:
        said = VERDICTS.get(verdict, verdict)
        return f"{said}：{chance}" if chance else said

    def noted(self, value: str, judgement: str) -> str:
        return f"{value} – {judgement}" if judgement else value

    def answer_mark(self, value: str) -> str:
        return f"答案：{value}"

    def safe_mark(self, value: str) -> str:
        return f"稳妥：{value}"

    def curve_point(self, input_: str, value: str, verdict: str, chance: str) -> str:
        judgement = "，".join(text for text in (VERDICTS.get(verdict, verdict), chance) if text)
        return f"{input_}：{value}（{judgement}）" if judgement else f"{input_}：{value}"

    def curve_alt(self, title: str, points: Sequence[str], limit_: str, chosen: str) -> str:
        return f"{title}。{'；'.join(points)}。{limit_}。答案：{chosen}。"

    def curve_foot(self, solved_again: bool, gaps: int) -> str:
        kept = "每个点都重新求解" if solved_again else "其余与答案相同"
        return f"{kept}；另有 {gaps} 个值没有方案能满足其他要求" if gaps else kept

    def memory_title(self, total: str, capacity: str, chance: str) -> str:
        of = f"，共 {capacity}" if capacity else ""
        fits = f"，放得下的概率为 {chance}" if chance else ""
        return f"最满 GPU 的显存：{total}{of}{fits}"

    def memory_row(
        self, name: str, total: str, parts: Sequence[tuple[str, str]], breaks: Sequence[str], misses: Sequence[str]
    ) -> str:
        each = "、".join(f"{label} {size}" for label, size in parts)
        violated = f"；违反 {'、'.join(breaks)}" if breaks else ""
        return f"{name}：{total}（{each}）{violated}" + (f"；未满足 {'、'.join(misses)}" if misses else "")

    def memory_alt(self, rows: Sequence[str], capacity: str) -> str:
        has = f"；GPU 有 {capacity}" if capacity else ""
        return f"{'。'.join(rows)}{has}。"

    def memory_limit(self, capacity: str, reserve: bool) -> str:
        return f"{capacity}（扣除预留）" if reserve else f"GPU 的 {capacity}"

    def memory_foot(self, band: bool, rows: bool, calendar: bool) -> str:
        texts = (
            ("├─┤ 十次实测峰值中的八次在此之间。", band),
            ("第一行以下各改变一个输入，其余不变。", rows),
            ("时间为日历时间。", calendar),
        )
        return "".join(text for text, shown in texts if shown)

    def changed_input(self, input_: str, value: str) -> str:
        return f"{input_} {value}"

    def and_result(self, amount: str, result: str) -> str:
        return f"{amount} · {result}" if result else amount

    def faults(self, requirements: Sequence[str], preferences: Sequence[str], over: bool) -> str:
        if requirements:
            return f"✗ {'、'.join(requirements)}"
        return f"⚠ {'、'.join(preferences)}" if preferences else "⚠ 超出" if over else ""

    def step_title(self, whole: str, useful: str) -> str:
        work = f"，其中 {useful} 是按标称峰值计的模型计算（MFU）" if useful else ""
        return f"单步：{whole}{work}"

    def step_alt(self, falls: Sequence[tuple[str, str]], whole: str) -> str:
        return f"瀑布图：{'；'.join(f'{label} {text}' for label, text in falls)}；合计 {whole}。"

    def step_foot(self, low: str, high: str) -> str:
        shown = "只显示未被计算掩盖的部分。"
        return f"{shown}十次实测中有八次在 {low} 与 {high} 之间。" if low and high else shown

    def share_of_the_step(self, percent: str) -> str:
        return f"{percent}%"

    def rows_alt(self, rows: Sequence[str]) -> str:
        return f"{'；'.join(rows)}。"

    def run_title(self, wall: str, late: str) -> str:
        return f"按日历：半数在 {wall}内结束" + (f"，九成在 {late}内结束" if late else "")

    def run_foot(self, failing: bool) -> str:
        return "故障可能随时发生：此处按预计次数均匀画出。" if failing else ""

    def events(self, count: str, every: str, each: str) -> str:
        return f"{count} 次，平均 {every}一次" + (f"，每个标记代表 {each} 次" if each else "")

    def limit_mark(self, operation: Operation, value: str) -> str:
        return f"{SIGNS[operation]} {value}"

    def expected_mark(self, value: str) -> str:
        return f"期望：{value}"

    def swing(self, name: str, ends: Range | None) -> str:
        return f"{name} {ends.rough()}" if ends is not None else _BANDS.get(name, name)

    def ranges_title(self, result: str, value: str, widest: str) -> str:
        return f"{result}（{value}）的不确定性：最大来源是{widest}"

    def front_title_of(self, count: int) -> str:
        return f"{count} 个方案的帕累托前沿"

    def sweep_title_of(self, axes: Sequence[str], count: int) -> str:
        return f"{count} 个方案，按 {' 和 '.join(axes)}"

    def scatter_title(self, title: str, name: str, results: Sequence[str]) -> str:
        said = "，".join(results)
        return f"{title}；{name}：{said}" if name else f"{title}：{said}"

    def scatter_foot(self, failing: bool) -> str:
        return "✗ 不满足某项要求。" if failing else ""

    def stage(self, name: str, layers: str) -> str:
        said = _STAGES.get(name, name)
        return f"{said}，{layers} 层" if layers else said

    def stage_row(self, stage: str, size: str, parts: Sequence[tuple[str, str]]) -> str:
        return f"{stage}：{size}（{'、'.join(f'{part} {held}' for part, held in parts)}）"

    def stages_title(self, pipeline: int, fullest: str, size: str) -> str:
        return f"{pipeline} 级流水线的显存：{_STAGES.get(fullest, fullest)}最满，{size}"

    def stages_foot(self, inner: bool) -> str:
        return "第二级代表中间各级：其后的各级占用更少。" if inner else ""

    def layout_title(self, tensor: int, split: int, pipeline: int, experts: int, data: int, replica: int) -> str:
        parts = [f"张量 {tensor}", f"上下文 {split}" if split > 1 else "", f"流水线 {pipeline}" if pipeline > 1 else ""]
        parts.append(f"专家 {experts}" if experts > 1 else "")
        return f"{replica} 张 GPU 存放一个副本（{'，'.join(filter(None, parts))}），数据并行 {data}"

    def layout_alt(self, rows: Sequence[str]) -> str:
        return f"{'；'.join(rows)}。"

    def layout_foot(self, left: int, staged: bool, replicas: int, experts: bool) -> str:
        said = "数字：在张量并行组中的序号" + ("，e：在专家组中的序号。" if experts else "。")
        if replicas > 1:
            said += f"一个节点存放 {replicas} 个副本{'的同一级' if staged else ''}。"
        return f"{said}副本另有 {left} 个节点未画出。" if left > 0 else said

    def rank_of(self, rank: int, part: int, split: int, expert: int | None) -> str:
        return f"{rank}·{part}" if split > 1 else f"{rank}" if expert is None else f"{rank}·e{expert}"

    def node_of(self, number: int, stage: int, pipeline: int) -> str:
        return f"节点 {number}，第 {stage} 级" if pipeline > 1 else f"节点 {number}"

    def stage_key(self, stage: int) -> str:
        return f"第 {stage} 级"
