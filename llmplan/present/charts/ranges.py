"""What makes the result that is asked for first uncertain: a tornado.

Input: the context of a solution, which has the swings. Output: a bar for each uncertain input or quantity; nothing
where there are fewer than two.
"""

from __future__ import annotations

from attrs import evolve

from llmplan.answer.schema.charts import Swing
from llmplan.present.blocks import plain
from llmplan.present.charts.records import Axis, Limit, Swung, Tornado
from llmplan.present.context import Context
from llmplan.units.amount import Amount, Range

_TICKS, _BARS = 6, 8


def ranges(context: Context) -> Tornado | None:
    """The chart of the swings."""
    words, found = context.words, context.answer.swings
    if found is None or len(found.swings) < 2:
        return None
    told = found.swings[:_BARS]
    limit = next(
        (rule.compared for rule in context.own if rule.compared and rule.compared.subject == found.result), None
    )
    like = found.amount if limit is None else limit.limit
    ends = [end for swing in told for end in (swing.low, swing.high)]
    heights = [*ends, found.amount.number, *([] if limit is None else [limit.limit.number])]
    name = plain(words.result_column(found.result))

    def shown(value: float) -> Amount:
        return evolve(found.amount, value=value).like(like)

    def bar(swing: Swing) -> Swung:
        low, high = sorted((swing.low, swing.high))
        label = words.swing(swing.name, swing.ends)
        return Swung(label, low, high, Range(shown(low), shown(high)).rough(3))

    bars = tuple(map(bar, told))
    written = like.written()
    size, unit = (1.0, "") if isinstance(written, str) else (written.size, f"{written.suffix}{written.unit}")
    return Tornado(
        title=words.ranges_title(name, shown(found.amount.number).rough(3), bars[0].label),
        alt=words.rows_alt([f"{bar.label}: {bar.text}" for bar in bars]),
        foot=words.ranges_foot,
        x=Axis.around(heights, _TICKS, unit, size),
        middle=Limit(found.amount.number, words.expected_mark(shown(found.amount.number).rough(3))),
        bars=bars,
        limit=None
        if limit is None
        else Limit(limit.limit.number, words.limit_mark(limit.operation, limit.limit.short())),
    )
