"""The solver against an evaluator of its own: random plans, solved and tried point by point.

What a plan means is computed here from the tree that its text is made of, in plain Python. A thorough run tries
two hundred and fifty plans, a long one two thousand; see `tests/thorough.py`.
"""

from __future__ import annotations

import itertools
import math
import random

import pytest
from attrs import evolve, frozen

from tests import told
from tests.thorough import SEED, many

TOLERANCE = 1e-9
GRID = 4001


def plans_to_try(most: int, quick: int) -> range:
    return range(SEED, SEED + many(quick, most // 8, 2 * most))


# What the language means


def close(a, b):
    return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) < math.inf


def floor(a):
    return math.floor(a + abs(a) * TOLERANCE)


MEANING = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "min": min,
    "max": max,
    "mod": lambda a, b: a - b * floor(a / b),
    "ceil": lambda a: math.ceil(a - abs(a) * TOLERANCE),
    "floor": floor,
    "round": lambda a: math.floor(a + 0.5),
    "abs": abs,
    "<": lambda a, b: a < b and not close(a, b),
    ">": lambda a, b: a > b and not close(a, b),
    "<=": lambda a, b: a < b or close(a, b),
    ">=": lambda a, b: a > b or close(a, b),
    "==": close,
    "!=": lambda a, b: not close(a, b),
    "if": lambda c, a, b: a if c else b,
}
# What the library would leave open by default is no part of the question.
BEFORE = "hardware.gpus = 1\ntraining.micro_batch = 1\n"
COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")


@frozen
class Tree:
    """A name, a number, or an operation on trees."""

    op: object
    args: tuple = ()

    def value(self, point):
        if isinstance(self.op, (int, float)):
            return self.op
        return MEANING[self.op](*(arg.value(point) for arg in self.args)) if self.args else point[self.op]

    def text(self):
        if isinstance(self.op, (int, float)):
            return f"({self.op})" if self.op < 0 else str(self.op)
        parts = [arg.text() for arg in self.args]
        if not parts:
            return self.op
        if self.op == "if":
            return f"(if {parts[0]} then {parts[1]} else {parts[2]})"
        return f"({parts[0]} {self.op} {parts[1]})" if not self.op.isalpha() else f"{self.op}({', '.join(parts)})"


@frozen
class Rule:
    name: str
    side: Tree
    op: str
    bound: float
    swapped: bool
    weight: int = 0

    def holds(self, point):
        sides = self.side.value(point), self.bound
        return MEANING[self.op](*(sides[::-1] if self.swapped else sides))

    def text(self):
        sides = [self.side.text(), str(self.bound)]
        condition = f" {self.op} ".join(sides[::-1] if self.swapped else sides)
        if self.weight:
            return f"prefer {self.name}: {condition} weight {self.weight}\n"
        return f"require {self.name}: {condition}\n"


@frozen
class Plan:
    """Unknowns with their candidates or ends; given numbers; what is required and preferred."""

    unknowns: dict
    given: dict
    quantities: dict
    rules: tuple
    preferences: tuple
    goals: tuple

    def text(self):
        lines = [BEFORE]
        lines += [f"let {name} = {value}\n" for name, value in self.given.items()]
        for name, domain in self.unknowns.items():
            items = f"{domain[0]}..{domain[1]}" if isinstance(domain, tuple) else f"[{', '.join(map(str, domain))}]"
            lines.append(f"let {name} = ? in {items.replace('..-', '..0 - ')}\n")
        lines += [f"quantity {name}: Real = {tree.text()}\n" for name, tree in self.quantities.items()]
        lines += [rule.text() for rule in (*self.rules, *self.preferences)]
        lines += [f"{'minimize' if sense > 0 else 'maximize'} {tree.text()}\n" for sense, tree in self.goals]
        return "".join(lines)

    def at(self, point):
        """Every name at a point."""
        values = {**self.given, **point}
        for name, tree in self.quantities.items():
            values[name] = tree.value(values)
        return values

    def failing(self, values):
        return {rule.name for rule in self.rules if not rule.holds(values)}

    def costs(self, values):
        score = -sum(rule.weight for rule in self.preferences if rule.holds(values))
        return [score, *(sense * tree.value(values) for sense, tree in self.goals)]

    def points(self):
        """Every point of the discrete unknowns; of a continuous one a grid."""
        axes = [
            domain
            if isinstance(domain, list)
            else [domain[0] + (domain[1] - domain[0]) * i / (GRID - 1) for i in range(GRID)]
            for domain in self.unknowns.values()
        ]
        for values in itertools.product(*axes):
            yield dict(zip(self.unknowns, values))


def better(mine, theirs, slack=TOLERANCE):
    for a, b in zip(mine, theirs):
        if a != b and not abs(a - b) <= slack * max(abs(a), abs(b)):
            return a < b
    return False


def random_plan(seed, continuous=False):
    make = random.Random(f"{'line' if continuous else 'grid'} {seed}")

    def number():
        whole = make.random() < 0.6
        return make.randint(-6, 12) if whole else round(make.uniform(-6, 12), make.choice((1, 2, 3)))

    unknowns = {}
    for name in "abc"[: make.randint(0 if continuous else 1, 1 if continuous else 3)]:
        unknowns[name] = make.sample(range(-5, 14), make.randint(1, 6))
        if make.random() < 0.3:
            unknowns[name] = [value / 4 for value in unknowns[name]]
    if continuous:
        low = round(make.uniform(-6, 6), 2) + 0.005
        unknowns["x"] = (low, low + round(make.uniform(0.5, 9), 2))
        unknowns["x"] = tuple(round(end, 3) for end in unknowns["x"])
    given = {name: number() for name in "kl"[: make.randint(0, 2)]}
    names = [*unknowns, *given]

    def tree(depth):
        if depth == 0 or make.random() < 0.2:
            return Tree(make.choice(["x", *names] if continuous else names)) if make.random() < 0.7 else Tree(number())
        op = make.choice(["+", "-", "*", "+", "-", "min", "max", "mod", "ceil", "floor", "round", "abs", "if"])
        if op in ("ceil", "floor", "round", "abs"):
            return Tree(op, (tree(depth - 1),))
        if op == "mod":
            return Tree(op, (tree(depth - 1), Tree(make.choice([2, 3, 1.5, 0.7]))))
        if op == "if":
            condition = Tree(make.choice(COMPARISONS), (tree(depth - 1), Tree(number())))
            return Tree(op, (condition, tree(depth - 1), tree(depth - 1)))
        return Tree(op, (tree(depth - 1), tree(depth - 1)))

    quantities = {}
    for name in ("q.one", "q.two")[: make.randint(0, 2)]:
        quantities[name] = tree(2)
        names.append(name)

    def rule(name, weight=0):
        ops = COMPARISONS if not continuous or make.random() < 0.1 else COMPARISONS[:4]
        return Rule(name, tree(make.randint(1, 3)), make.choice(ops), number(), make.random() < 0.3, weight)

    rules = tuple(rule(f"r{i}") for i in range(make.randint(1, 2 if continuous else 4)))
    preferences = tuple(rule(f"p{i}", make.randint(1, 3)) for i in range(make.choice((0, 0, 1, 2))))
    goals = tuple((make.choice((1, -1)), tree(2)) for _ in range(make.choice((0, 1, 1, 2))))
    return Plan(unknowns, given, quantities, rules, preferences, goals)


def solved(plans, plan):
    text = plan.text()
    solution = plans.solve(text)
    errors = [d for d in solution.diagnostics if d.severity == "error" and d.code != "E0402"]
    assert not errors, (text, errors)
    return text, solution


def answer(plan, solution):
    """The unknowns of a solution; one that nothing depends on has no value there."""
    found = {}
    for name, domain in plan.unknowns.items():
        value = solution.values[name].value if name in solution.values else None
        found[name] = domain[0] if value is None else value
    return found


def with_changes(plan, changes):
    """The plan with changes applied; None if one is of what it does not give."""
    for one, shown, amount in changes:
        bare, value = shown.replace(",", "_"), amount.value
        assert float(bare) == value, one
        if one.kind == "requirement":
            assert bare in one.condition, one
            plan = evolve(plan, rules=tuple(evolve(r, bound=value) if r.name == one.name else r for r in plan.rules))
        elif one.name in plan.given:
            plan = evolve(plan, given={**plan.given, one.name: value})
        else:
            return None
    return plan


def relaxations_work(plans, plan, text, solution, enumerated):
    """Each is applied, as it is printed and as its edit is, and solved again; returns how many."""
    hints = {hint.text.partition(": ")[2]: hint for d in solution.diagnostics for hint in d.hints}
    for one in solution.relaxations:
        hint = hints[told.change(one)]
        if hint.edits:
            there = text
            for edit in sorted(hint.edits, key=lambda edit: -edit.span.start):
                there = there[: edit.span.start] + edit.text + there[edit.span.end :]
            assert plans.solve(there).status == "solved", (text, one, there)
        for shown, value in zip(one.texts, one.values):
            changed = with_changes(
                plan, [(one, shown, value), *((two, two.texts[0], two.values[0]) for two in one.beside)]
            )
            if changed is None:
                continue
            if enumerated:
                assert any(not changed.failing(changed.at(p)) for p in changed.points()), (text, one)
            assert plans.solve(changed.text()).status == "solved", (text, one)
    return len(solution.relaxations)


@pytest.mark.quick(2)
@pytest.mark.parametrize("seed", plans_to_try(600, 4))
def test_discrete_plans_against_every_point(plans, seed):
    plan = random_plan(seed)
    text, solution = solved(plans, plan)
    every = [(point, plan.at(point)) for point in plan.points()]
    failing = [plan.failing(values) for _, values in every]
    feasible = [values for (_, values), failed in zip(every, failing) if not failed]
    assert (solution.status == "solved") == bool(feasible), text
    if feasible:
        there = plan.at(answer(plan, solution))
        assert not plan.failing(there), text
        for name in plan.quantities:
            if name in solution.values and solution.values[name].value is not None:
                assert close(solution.values[name].value, there[name]), text
        mine = plan.costs(there)
        assert not any(better(plan.costs(values), mine, 2 * TOLERANCE) for values in feasible), (text, mine)
        assert solution.feasible in (None, len(feasible)), text
        return
    conflict = set(solution.conflict)
    assert conflict <= {rule.name for rule in plan.rules}, text
    assert all(failed & conflict for failed in failing), (text, conflict)
    for name in conflict:
        assert any(not failed & (conflict - {name}) for failed in failing), (text, conflict, name)
    least = min(map(len, failing))
    assert len(plan.failing(plan.at(answer(plan, solution)))) == least, text
    relaxations_work(plans, plan, text, solution, True)


@pytest.mark.parametrize("seed", [*plans_to_try(400, 1), 411_413, 741_691])  # a cure, an answer next to 0
def test_plans_with_a_continuous_unknown_against_a_grid(plans, seed):
    plan = random_plan(seed, continuous=True)
    text, solution = solved(plans, plan)
    feasible = [values for values in map(plan.at, plan.points()) if not plan.failing(values)]
    if solution.status != "solved":
        assert not feasible, (text, feasible[0])
        relaxations_work(plans, plan, text, solution, False)
        return
    there = plan.at(answer(plan, solution))
    assert not plan.failing(there), (text, there)
    mine = plan.costs(there)
    for values in feasible:
        costs = plan.costs(values)
        # The grid may lie where the answer is good to the tolerance of a jump.
        worse = next((a - b for a, b in zip(mine, costs) if abs(a - b) > 1e-6 * max(1.0, abs(a), abs(b))), 0.0)
        assert worse <= 0.0, (text, there, values)
    again = plans.solve(text, settings=[(name, repr(value)) for name, value in answer(plan, solution).items()])
    assert again.status == "solved", (text, there)


@pytest.mark.parametrize("seed", plans_to_try(100, 2))
def test_ranges_contain_what_is_sampled_in_them(plans, seed):
    make = random.Random(f"range {seed}")
    plan = evolve(random_plan(seed), rules=(), preferences=(), goals=())
    point = next(plan.points())
    plan = evolve(plan, unknowns={}, given={**plan.given, **point})
    ends = {name: (value - make.randint(1, 3), value + make.randint(1, 3)) for name, value in plan.given.items()}
    shown = [f"show {name}\n" for name in plan.quantities]
    lets = {name: f"{low}..{plan.given[name]}..{high}".replace("..-", "..0 - ") for name, (low, high) in ends.items()}
    solution = plans.solve(evolve(plan, given=lets).text() + "".join(shown))
    for _ in range(60):
        values = plan.at(
            {name: make.choice((low, high, make.uniform(low, high))) for name, (low, high) in ends.items()}
        )
        for name in plan.quantities:
            found = solution.values.get(name)
            if found is not None and found.low is not None:
                slack = 1e-6 * max(1.0, abs(values[name]))
                assert found.low - slack <= values[name] <= found.high + slack, (plan.text(), name, values)
