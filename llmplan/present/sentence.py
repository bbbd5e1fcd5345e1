"""The answer in one or two sentences: which machines train what, in how long, at what cost, and what that is worth.

Input: the context of a solution; output a line, which a report shows with its verdicts and a screen, where these stand
in rows below, without. Of an infeasible plan it says which requirements conflict, and the smallest change after which
all hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isclose

from attrs import evolve

from llmplan.answer.schema.advice import as_made
from llmplan.answer.schema.requirements import Clash, RequirementResult
from llmplan.answer.schema.values import SolvedUnknown
from llmplan.present import names
from llmplan.present.blocks import EMPTY, Line, listed, shortened
from llmplan.present.context import Context, ends_of
from llmplan.units.amount import Amount

_WORD = re.compile(r"[\w.]+")
_MOST_VERDICTS = 3
_MOST_CLASHES = 2
_MOST_OF_A_CASE = 100
MOST_SHOWN = 6
_OF_THE_MACHINES = (names.GPUS, names.GPU, names.NODES, names.TOKENS, names.PARAMS)
_ANSWERED_BY = (names.TIME, names.MEMORY, names.SERVING_LATENCY, names.TRAIN_FLOPS)
"""Results of which there is a sentence; without any of them it is made of what the author shows."""

_OF_THE_MODEL = (names.ADAPTER_METHOD, names.ADAPTER_RANK)
"""What the sentence says by itself of what was asked."""


def sentences(context: Context, judged: bool = True) -> list[Line]:
    """The answer, a sentence or two in each line.

    Args:
        judged: Whether its verdicts follow, unless it is infeasible.
    """
    match context.answer.status:
        case "error":
            return [context.words.not_solved(context.answer.plan)]
        case "infeasible":
            return [_infeasible(context)]
        case "solved":
            # What may not fit is said in the first sentence too, whatever else is asked.
            fits = context.requirement(names.FITS)
            doubtful = fits is not None and fits.verdict not in (None, "safe")
            told = [_verdicts(context), _fits(context)] if judged else [_fits(context)] if doubtful else []
            after = [_surer(context), *told]
            said = [_shown(context), _between(context), _solved(context), listed(filter(None, after), " ")]
            return [one for one in said if one]


def shows_first(context: Context) -> bool:
    """Whether what the author shows is the question: nothing is searched or required."""
    asked = any(unknown.asked for unknown in context.answer.unknowns)
    return bool(context.answer.shown) and not (asked or context.own or context.answer.objectives)


def _shown(context: Context) -> Line:
    """What the author shows, where that is the question and there is another answer to follow it."""
    words, rows = context.words, context.answer.shown[:MOST_SHOWN]
    if not shows_first(context) or not any(context.has(name) for name in _ANSWERED_BY):
        return EMPTY
    return words.nothing_to_solve([words.equation(row) for row in rows], ())


def _between(context: Context) -> Line:
    """The ends of the Pareto front."""
    front, traded = context.answer.front, [objective.text for objective in context.answer.objectives]
    if len(front) < 2 or not all(set(traded) <= {name for name, _ in point.results} for point in front):
        return EMPTY
    first, second = ([dict(point.results)[name] for name in traded] for point in (front[0], front[-1]))
    return context.words.front_between(len(front), traded, first, second)


def _solved(context: Context) -> Line:
    words = context.words
    asked = [unknown for unknown in context.answer.unknowns if unknown.asked]
    told = any(unknown.path in _OF_THE_MACHINES for unknown in asked)
    left_out = (*_OF_THE_MACHINES, *_OF_THE_MODEL, *(names.LAUNCHED if told else ()))
    rest = [
        unknown for unknown in asked if unknown.path not in left_out and not unknown.path.startswith(f"{names.MODEL}.")
    ]
    machines, model, chosen = _machines(context), _model(context), _chosen(context, rest)
    tokens = context.amount(names.TOKENS)
    if machines and context.has(names.TIME):
        return _training(context, machines, model, chosen)
    memory = context.amount(names.MEMORY)
    if machines and memory is not None and context.has(names.MODEL):
        return words.needs_memory(model, machines, memory, chosen)
    serving = _serving(context, model, chosen)
    if serving:
        return serving
    flops = context.amount(names.TRAIN_FLOPS)
    if flops is not None:
        return words.takes_compute(model, tokens, flops, machines, chosen)
    what = [model if context.has(names.MODEL) else EMPTY, machines]
    if asked:
        own = [unknown for unknown in asked if not (machines and unknown.path in (names.GPUS, names.GPU))]
        return words.solved(what, bool(context.has(names.MODEL) or machines), _settings(context, own))
    shown = context.answer.shown[:MOST_SHOWN]
    rows = [words.worth(row) if len(context.answer.shown) == 1 else words.equation(row) for row in shown]
    return words.nothing_to_solve(rows, what)


def _training(context: Context, machines: Line, model: Line, chosen: Line) -> Line:
    words, answer = context.words, context.answer
    time, wall = answer.values[names.TIME], context.find(names.WALL_TIME)
    cost, wall_cost = context.find(names.COST), context.amount(names.WALL_COST)
    single = context.get(names.GPUS, 1) == 1
    trains = words.trains(machines, single, model, *_data(context))
    ends = None if wall is None else ends_of(wall)
    if wall is None or ends is None:
        return words.in_planned(trains, words.planned(time, cost), chosen)
    about = _about(context, names.TIME, names.WALL_TIME)
    if about is not None:  # in the unit of what is required of it
        like = about.calendar or about.compared
        assert like is not None
        time, wall = (evolve(value, amount=value.amount.like(like.limit)) for value in (time, wall))
        ends = ends.like(like.limit)
    if not _asks_cost(context):
        cost, wall_cost = None, None
    if cost is not None:  # in the unit of the budget
        cost = evolve(cost, amount=context.like(names.COST, cost.amount))
    wall_cost = None if wall_cost is None else context.like(names.WALL_COST, wall_cost)
    planned = words.as_planned(time, cost, wall.amount)
    foremost = foremost_of(context)
    judged = EMPTY if foremost is None else _chance(context, foremost, cost is not None)
    return words.on_the_calendar(trains, wall.amount, ends, wall_cost, chosen, planned, judged)


def _about(context: Context, *subjects: str) -> RequirementResult | None:
    """The author's first requirement on any of some quantities."""
    return next((rule for rule in context.own if rule.compared is not None and rule.compared.subject in subjects), None)


def _asks_cost(context: Context) -> bool:
    """Whether the plan asks for money; one that requires nothing is told all there is."""
    said = [objective.text for objective in context.answer.objectives] + [rule.text for rule in context.own]
    asked = {word for text in said for word in _WORD.findall(text)}
    return not context.own or not asked.isdisjoint((names.COST, names.WALL_COST))


def foremost_of(context: Context) -> RequirementResult | None:
    """The author's requirement that the first sentence of a training is about: what is least likely or not judged."""
    if not context.has(names.TIME, names.WALL_TIME, names.GPUS):
        return None
    open_ = [rule for rule in context.own if rule.holds and (rule.chance is not None or rule.rates)]
    return min(open_, key=lambda rule: 1.0 if rule.chance is None else rule.chance, default=None)


def _chance(context: Context, rule: RequirementResult, cost: bool) -> Line:
    """`the deadline of 30 days has a chance of 18% (63% planned)`; a compound requirement is named as written."""
    words, row = context.words, rule.calendar or rule.compared
    told = (names.TIME, names.WALL_TIME, *((names.COST, names.WALL_COST) if cost else ()))
    figure = None if row is None or row.subject in told else row.planned
    subject = words.compound(rule.name, rule.text) if row is None else words.limited(rule.name, rule.text, row, figure)
    if rule.rates:
        return words.is_not_judged(subject, rule.rates)
    planned = words.chance(rule.planned.chance) if rule.planned is not None else ""
    asked = None if row is None else row.asked
    return words.has_a_chance(subject, rule.verdict == "safe", words.chance(rule.chance), planned, asked)


def _surer(context: Context) -> Line:
    """What meets the uncertain requirements, and from where on they are safe."""
    foremost = foremost_of(context) if context.answer.status == "solved" else None
    if foremost is None or foremost.rates:
        return EMPTY
    by_purpose = {lever.purpose: lever for lever in context.answer.levers}
    uncertain = [rule for rule in context.own if rule.chance is not None and rule.verdict != "safe"]
    return context.words.surer(by_purpose.get("meets"), by_purpose.get("safe"), len(uncertain) > 1)


def _data(context: Context) -> tuple[Amount | None, Amount | None]:
    """The tokens of one epoch with the epochs, if there is more than one; else all tokens that are seen, and None."""
    tokens, epochs, seen = (context.number(name) for name in (names.TOKENS, names.EPOCHS, names.TOKENS_TOTAL))
    if tokens is None or epochs is None or seen is None or epochs == 1:
        return context.amount(names.TOKENS) or context.amount(names.TOKENS_TOTAL), None
    if epochs > 1 and isclose(tokens * epochs, seen, rel_tol=1e-6):
        return context.amount(names.TOKENS), context.amount(names.EPOCHS)
    return context.amount(names.TOKENS_TOTAL), None


def _serving(context: Context, model: Line, chosen: Line) -> Line:
    latency, queries = context.amount(names.SERVING_LATENCY), context.number(names.SERVING_QUERIES)
    gpus = context.get(names.GPUS) if queries is not None and context.has(names.GPUS) else None
    gpus = context.get(names.SERVING_GPUS) if gpus is None else gpus
    if latency is None or gpus is None:
        return EMPTY
    ttft, tpot = context.find(names.SERVING_TTFT), context.find(names.SERVING_TPOT)
    served = context.words.serves(
        int(float(gpus)) if (needed := context.number(names.SERVING_GPUS)) is None else int(needed),
        int(float(gpus)),
        context.text(names.GPU),
        context.amount(names.SERVING_QUERIES) if queries is not None else None,
        model,
        context.amount(names.SERVING_COST),
        chosen,
    )
    replicas, copy = context.number(names.SERVING_REPLICAS), context.amount(names.SERVING_COPY)
    if ttft is None or tpot is None or replicas is None or copy is None:
        return served
    bound = context.text(names.SERVING_BOUND)
    return listed([served, context.words.answers_in(ttft, tpot, latency, (int(replicas), copy), bound)], " ")


def _machines(context: Context) -> Line:
    gpu, gpus = context.text(names.GPU), context.number(names.GPUS)
    if gpus is None:
        return context.words.a_single(gpu) if gpu else EMPTY
    nodes = context.number(names.NODES)
    return context.words.machines(int(gpus), gpu, round(nodes) if nodes is not None else 1)


def _model(context: Context) -> Line:
    """The model that is trained, by its entry with what the plan says otherwise; else by its size."""
    asked = any(unknown.asked and unknown.path.startswith(names.MODEL) for unknown in context.answer.unknowns)
    if context.has(names.MODEL) and not asked:
        method, rank = context.get(names.ADAPTER_METHOD), context.amount(names.ADAPTER_RANK)
        return context.words.model(
            context.text(names.MODEL),
            context.overridden(names.MODEL),
            str(method) if method is not None else "",
            rank,
            str(context.get(names.TASK)),
        )
    size = context.amount(names.PARAMS_TOTAL) or context.amount(names.PARAMS)
    return context.words.model_of(size) if size is not None else EMPTY


def _chosen(context: Context, unknowns: Sequence[SolvedUnknown]) -> Line:
    return context.words.with_(_settings(context, unknowns)) if unknowns else EMPTY


def _settings(context: Context, unknowns: Sequence[SolvedUnknown]) -> Line:
    return listed(context.words.chosen(unknown.path, unknown.value.amount) for unknown in unknowns)


def _verdicts(context: Context) -> Line:
    foremost = foremost_of(context)
    own = [rule for rule in context.own if rule is not foremost]
    said = [_verdict(context, rule) for rule in own[:_MOST_VERDICTS]]
    more = len(own) - _MOST_VERDICTS
    return listed([*said, context.words.more_verdicts(more) if more > 0 else None], " ")


def _verdict(context: Context, rule: RequirementResult) -> Line:
    row, words = rule.compared, context.words
    subject = words.verdict_subject(rule.name, rule.text, row)
    if rule.holds is None:
        return words.was_not_checked(subject, rule.needs)
    if not rule.holds:
        return words.is_missed(subject, row.gap if row else None)
    if rule.rates or rule.unjudged:
        return words.is_unjudged(subject, rule.rates, rule.unjudged)
    if rule.verdict == "safe":
        return words.is_safe(subject, words.chance(rule.chance) if rule.certainty == "expected" else None)
    planned = words.chance(rule.planned.chance) if rule.planned is not None else ""
    return words.is_uncertain(subject, rule.verdict or "", words.chance(rule.chance), planned)


def _fits(context: Context) -> Line:
    rule = context.requirement(names.FITS)
    room, used = context.find(names.GPU_MEMORY), context.number(names.MEMORY)
    if rule is None or rule.holds is None or room is None or used is None:
        return EMPTY
    spare = room.amount.number - (context.number(names.MEMORY_RESERVE) or 0) - used
    size = evolve(room.amount, value=abs(spare))
    if not rule.holds:
        return context.words.does_not_fit(size)
    if rule.verdict == "safe" or rule.verdict is None:
        return context.words.fits(size)
    told = context.words.memory_is_tight if rule.verdict == "tight" else context.words.fits_with_a_chance
    return told(context.words.chance(rule.chance), size, spare >= 0)


def _infeasible(context: Context) -> Line:
    answer, words = context.answer, context.words
    clashes = [_clash(context, clash) for clash in answer.clashes[:_MOST_CLASHES]]
    more = len(answer.clashes) - _MOST_CLASHES
    best = answer.relaxations[0] if answer.relaxations else None
    made = [one.condition or as_made(one) for one in (best, *best.beside)] if best else []
    cure = [words.change_to(one) for one in dict.fromkeys(made)]
    return words.no_plan(answer.partly, clashes, max(0, more), answer.conflict, cure)


def _clash(context: Context, clash: Clash) -> Line:
    """A conflict, short enough that two of them make a sentence."""
    rule = context.requirement(clash.names[0])
    alone = rule if rule is not None and len(clash.names) == 1 and not rule.holds else None
    row = None if alone is None else alone.compared
    if alone is not None and row is not None:
        if row.met and row.asked is not None and alone.chance is not None:
            # The figures alone would look as if it held.
            said = context.words.asked_chance(context.words.chance(alone.chance), row.asked)
            return context.words.conflict(clash.names, None, said)
        if row.operation == "eq" and not row.limit.number:
            row = None  # what is left over of a division tells nothing
    said = EMPTY if alone is None or row is not None else shortened(context.words.case(alone), _MOST_OF_A_CASE)
    return context.words.conflict(clash.names, row, said)
