"""Random plans, the same for the same number: of every sort that the language can ask for.

`plans(count)` gives names and texts. Each is small enough to be solved within a second or two; some
have no solution, and a few are wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

MODELS = (
    "llama-7b", "llama-2-13b", "llama-2-70b", "gpt3-175b", "gpt2-xl", "mixtral-8x7b", "gemma-2-9b", "phi-2",
    "qwen2.5-7b", "falcon-40b", "deepseek-v2-lite", "bert-large", "gpt-neo-1.3b",
)  # fmt: skip
GPUS = (
    "A100-SXM4-80GB", "A100-SXM4-40GB", "H100-SXM5-80GB", "H200-SXM-141GB", "B200", "V100-SXM2-32GB", "MI300X",
    "L40S", "RTX-3090", "TPU-v4",
)  # fmt: skip


def plans(count: int) -> Iterator[tuple[str, str]]:
    for number in range(count):
        random = Random(number)
        family = FAMILIES[number % len(FAMILIES)]
        yield f"random {number} {family.__name__.strip('_')}", family(random)


def _bound(random: Random, low: float, high: float, unit: str) -> str:
    return f"{random.uniform(low, high):.3g} {unit}".strip()


def _some(random: Random, lines: list[str], share: float) -> list[str]:
    return [line for line in lines if random.random() < share]


def _job(random: Random, gpus: str = "", open_: float = 0.5) -> list[str]:
    """A model, a dataset and hardware, with some of the layout open."""
    choices = {
        "parallelism.tensor": ("?", "? in [1, 2, 4]", "1", "2", "8"),
        "parallelism.pipeline": ("? in [1, 2, 4]", "1", "1", "2", "4"),
        "parallelism.zero_stage": ("?", "? in [0, 1, 3]", "1", "2", "3"),
        "parallelism.context": ("? in [1, 2]", "1", "1", "2"),
        "training.micro_batch": ("?", "? in powers(2, 1..8)", "1", "2", "4"),
        "training.recompute": ("?", "none", "full", "selective"),
    }
    lines = [
        f'model "{random.choice(MODELS)}"',
        f"dataset.tokens = {random.choice(('5B', '20B', '100B', '300B', '1T'))}",
        f"dataset.sequence_length = {random.choice((512, 1024, 2048, 2048, 4096))}",
        f'hardware.gpu = "{random.choice(random.choice((GPUS, GPUS[:5])))}"',
        f"hardware.gpus = {gpus or random.choice((8, 16, 64, 128, 256, 512))}",
        f"training.global_batch = {random.choice(('64 sequences', '512 sequences', '1M tokens', '4M tokens'))}",
        f"training.precision = {random.choice(('bf16', 'bf16', 'fp16', 'fp32', 'fp8'))}",
    ]
    for path, values in choices.items():
        if random.random() < 0.8:
            unknown, given = [v for v in values if v[0] == "?"], [v for v in values if v[0] != "?"]
            lines.append(f"{path} = {random.choice(unknown if random.random() < open_ else given)}")
    return lines + _some(
        random,
        [
            f"training.optimizer = {random.choice(('adamw', 'sgd', 'adafactor', 'adamw_8bit', 'lion'))}",
            f"parallelism.framework = {random.choice(('deepspeed', 'fsdp', 'megatron', 'ddp'))}",
            f"parallelism.offload = {random.choice(('none', 'optimizer', 'all'))}",
            f"training.attention = {random.choice(('flash', 'standard'))}",
        ],
        0.2,
    )


def _wishes(random: Random, share: float = 0.5) -> list[str]:
    return _some(
        random,
        [
            f"require deadline: time <= {_bound(random, 1, 200, 'days')}",
            f"require budget: cost <= {_bound(random, 1, 900, 'kUSD')}",
            f"require small: memory.total <= {_bound(random, 10, 150, 'GB')}",
            f"prefer short: time <= {_bound(random, 1, 60, 'days')}",
            f"prefer roomy: memory.total <= {_bound(random, 5, 80, 'GB')} weight {random.choice(('0', '0.5', '2'))}",
            "prefer plain: parallelism.tensor == 1",
        ],
        share,
    )


def _goal(random: Random) -> list[str]:
    goals = ("time", "cost", "memory.total", "hardware.gpus", "energy")
    return [f"minimize {goal}" for goal in random.sample(goals, random.choice((0, 1, 1, 2)))]


def _text(*parts: list[str]) -> str:
    return "\n".join(line for part in parts for line in part) + "\n"


def _layout(random: Random) -> str:
    return _text(_job(random), _wishes(random), _goal(random))


def _cluster(random: Random) -> str:
    """The number of GPUs is asked."""
    domain = random.choice(("?", "? in 8..512 step 8", "? in powers(2, 1..4096)", "? in [16, 64, 96, 256]"))
    deadline = f"require deadline: time <= {_bound(random, 5, 400, 'days')}"
    return _text(_job(random, domain, open_=0.25), [deadline], _goal(random))


def _impossible(random: Random) -> str:
    """Tight bounds, of which some contradict one another."""
    bounds = [
        f"require deadline: time <= {_bound(random, 0.05, 5, 'days')}",
        f"require budget: cost <= {_bound(random, 0.1, 30, 'kUSD')}",
        f"require small: memory.total <= {_bound(random, 1, 20, 'GB')}",
    ]
    return _text(_job(random, open_=0.15), random.sample(bounds, random.choice((1, 1, 2))), _goal(random))


def _estimate(random: Random) -> str:
    """The rules of thumb: a number of parameters and an assumed utilisation, one of all of it asked."""
    given = {
        "model.params": f"{random.choice((1, 3, 7, 13, 70))}B",
        "dataset.tokens": random.choice(("100B", "300B", "1T", "5T")),
        "hardware.gpus": str(random.choice((8, 64, 128, 512))),
    }
    asked = random.choice([*given, "mfu"])
    domains = {
        "model.params": "? in 100M..1T",
        "dataset.tokens": "? in 1B..20T",
        "hardware.gpus": random.choice(("?", "? in 8..4096 step 8")),
        "mfu": "? in 5%..70%",
    }
    lines = [f"{path} = {domains[path] if path == asked else value}" for path, value in given.items()]
    lines.append(f"assume mfu = {domains['mfu'] if asked == 'mfu' else f'{random.randint(25, 60)}%'}")
    lines += [f'hardware.gpu = "{random.choice(GPUS[:5])}"', "training.precision = bf16"]
    op = random.choice(("<=", "<=", "=="))
    lines.append(f"require deadline: time {op} {_bound(random, 2, 400, 'days')}")
    if asked in ("model.params", "dataset.tokens") and op == "<=":
        lines.append(f"maximize {asked}")
    return _text(lines, _some(random, [f"require budget: cost <= {_bound(random, 10, 5000, 'kUSD')}"], 0.3))


def _unsure(random: Random) -> str:
    """Ranges, and what must hold wherever in them the truth lies."""
    gpus = random.choice(("64", "128", "512", "? in 8..1024 step 8"))
    low = random.randint(20, 40)
    lines = [
        f"model.params = {random.choice((1, 7, 13, 70))}B",
        f"dataset.tokens = {random.choice(('300B', '1T', '0.8T..1T..1.5T'))}",
        f'hardware.gpu = "{random.choice(GPUS[:5])}"',
        f"hardware.gpus = {gpus}",
        f"hardware.price = {_bound(random, 1, 2, 'USD/GPU/hour')} .. {_bound(random, 2, 4, 'USD/GPU/hour')}",
        "training.precision = bf16",
        f"assume mfu = {low}%..{low + random.randint(1, 10)}%..{low + random.randint(11, 25)}%",
        f"require {random.choice(('', 'certain '))}deadline: time <= {_bound(random, 5, 120, 'days')}",
        "show cost",
        f"show time / {_bound(random, 1, 9, 'days')}",
    ]
    wish = f"require {random.choice(('', 'certain '))}budget: cost <= {_bound(random, 20, 2000, 'kUSD')}"
    return _text(lines, _some(random, [wish], 0.5), _some(random, ["minimize cost"], 0.5))


def _catalog(random: Random) -> str:
    """Which accelerator, or which model."""
    if random.random() < 0.7:
        names = ", ".join(f'"{name}"' for name in random.sample(GPUS, 4))
        subject = [f'model "{random.choice(MODELS)}"', f"hardware.gpu = ? in [{names}]"]
    else:
        models = ", ".join(f'"{name}"' for name in random.sample(MODELS, 3))
        subject = [f"model = ? in [{models}]", f'hardware.gpu = "{random.choice(GPUS)}"']
    lines = [
        *subject,
        f"dataset.tokens = {random.choice(('20B', '300B', '1T'))}",
        "dataset.sequence_length = 2048",
        f"hardware.gpus = {random.choice((8, 64, 256))}",
        "training.precision = bf16",
        "training.global_batch = 512 sequences",
        f"parallelism.zero_stage = {random.choice(('1', '3', '?'))}",
    ]
    return _text(lines, _wishes(random, 0.35), _goal(random))


def _varied(random: Random) -> str:
    """Scenarios, a sweep, two objectives at once, dropped and replaced rules."""
    lines = _job(random, open_=0.3)
    extra = [
        f'scenario "more data" {{ dataset.tokens = {random.choice(("3T", "5T"))} }}',
        f'scenario "another card" {{ hardware.gpu = "{random.choice(GPUS)}", hardware.gpus = 96 }}',
        random.choice(
            (
                f"sweep hardware.gpus in {random.choice(('[8, 32, 512]', 'powers(2, 16..128)'))}",
                f'sweep hardware.gpu in ["{GPUS[0]}", "{random.choice(GPUS[1:])}"], training.precision in [bf16, fp16]',
            )
        ),
        "waive fits",
        "waive batch_near, tensor_inside_node",
        '@cite("measured")\nreplace quantity restart_time: s = 4 min',
        "pareto time, memory.total",
        "show cost / dataset.tokens in USD/Ttoken",
    ]
    return _text(lines, _some(random, extra, 0.4), _wishes(random, 0.2), _goal(random))


def _serving(random: Random) -> str:
    lines = [
        f'model "{random.choice(MODELS[:10])}"',
        f'hardware.gpu = "{random.choice(GPUS[:8])}"',
        "serving {",
        f"    queries_per_minute = {random.choice((60, 1000, 20000))}",
        f"    input_tokens = {random.choice((200, 1000, 3000))}",
        f"    output_tokens = {random.choice((100, 500))}",
        f"    batch = {random.choice(('1', '32', '? in powers(2, 1..256)'))}",
        "}",
        "show serving.memory",
        "show serving.latency",
    ]
    wishes = [
        f"require quick: serving.latency <= {_bound(random, 1, 30, 's')}",
        f"require few: serving.gpus <= {random.choice((2, 16, 128))}",
    ]
    return _text(lines, _some(random, wishes, 0.5), _some(random, ["minimize serving.gpus"], 0.6))


def _whole(random: Random) -> str:
    """Values of the plan's own over small grids."""
    names = [f"x{i}" for i in range(random.randint(1, 3))]
    lines = []
    for name in names:
        few = sorted(random.sample(range(-2, 12), random.randint(1, 5)))
        first = random.randint(-3, 5)
        domain = random.choice(
            (str(few), f"{first}..{first + random.randint(0, 8)}", "powers(2, 1..64)", "divisors(36)")
        )
        lines.append(f"let {name} = ? in {domain}")
    for number in range(random.randint(0, 3)):
        op = random.choice(("<=", ">=", "==", "<", ">", "!="))
        name = "" if random.random() < 0.1 else f"r{number}: "
        lines.append(f"require {name}{_formula(random, names)} {op} {random.randint(-4, 40)}")
    for number in range(random.randint(0, 2)):
        lines.append(
            f"prefer w{number}: {_formula(random, names)} <= {random.randint(-2, 12)} weight {random.choice((0, 1, 3))}"
        )
    goal = random.choice(("minimize", "maximize"))
    lines += [f"{goal} {_formula(random, names)}"] if random.random() < 0.8 else []
    lines += [f"pareto {names[0]}, -({_formula(random, names)})"] if random.random() < 0.2 else []
    return _text(lines, [f"show {_formula(random, names)}"])


def _formula(random: Random, names: list[str], depth: int = 2) -> str:
    if depth == 0 or random.random() < 0.2:
        return random.choice([*names, *names, str(random.randint(1, 5)), "0.5"])
    a, b = _formula(random, names, depth - 1), _formula(random, names, depth - 1)
    shape: Callable[[], str] = random.choice(
        (
            lambda: f"({a} + {b})", lambda: f"({a} - {b})", lambda: f"{a} * {b}", lambda: f"({a}) / (abs({b}) + 1)",
            lambda: f"max({a}, {b})", lambda: f"min({a}, {b})", lambda: f"ceil({a} / 3)", lambda: f"floor({a} * 0.7)",
            lambda: f"sqrt(abs({a}))", lambda: f"round({a} / 2)", lambda: f"mod({a}, 4)", lambda: f"({a})^2",
            lambda: f"(if {a} < {b} then {a} else 2)", lambda: f"log2(1 + abs({a}))", lambda: f"exp(-abs({a}))",
            lambda: f"interpolate({a}, [[0, 1], [4, 3], [9, 2]])",
        )
    )  # fmt: skip
    return shape()


def _continuous(random: Random) -> str:
    """One number that may have any value, alone or beside whole ones."""
    lines = ["let x = ? in " + random.choice(("0.0..10.0", "0.5..200.0", "-4.0..4.0", "1.0..1.0e6"))]
    names = ["x"]
    if random.random() < 0.5:
        lines.append(f"let n = ? in {random.choice(('1..4', '[1, 2, 8]', 'powers(2, 1..16)'))}")
        names.append("n")
    shapes = (
        "{k} * x", "x^2 + {k} * x", "{k} / (x + 7)", "sqrt(x + 5) * {k}", "ln(x + 6) + {k}", "x - {k} / (x + 9)",
        "exp(x / 100) * {k}", "x^3 - {k} * x", "max(x, {k})", "abs(x - {k})", "ceil(x) + {k}",
    )  # fmt: skip

    def side() -> str:
        text = random.choice(shapes).format(k=random.randint(1, 9))
        return f"({text}) * n" if "n" in names and random.random() < 0.6 else text

    for number in range(random.randint(1, 2)):
        lines.append(f"require r{number}: {side()} {random.choice(('<=', '>=', '=='))} {random.randint(1, 60)}")
    if random.random() < 0.8:
        lines.append(f"{random.choice(('minimize', 'maximize'))} {random.choice(('x', side()))}")
    return _text(lines, ["show x * 2"])


def _system(random: Random) -> str:
    """Equations in two or three numbers, linear or as products."""
    count = random.choice((2, 2, 3))
    names = ["a", "b", "c"][:count]
    at = {name: random.randint(1, 9) for name in names}
    lines = [f"let {name} = ? in 0.0..{random.choice(('20.0', '100.0'))}" for name in names]
    for number in range(count):
        if random.random() < 0.75:
            factors = {name: random.randint(1, 5) for name in names}
            left = " + ".join(f"{factor} * {name}" for name, factor in factors.items())
            right = sum(factor * at[name] for name, factor in factors.items())
        else:
            one, other = random.sample(names, 2)
            left, right = random.choice(
                ((f"{one} * {other}", at[one] * at[other]), (f"{one} - {other}", at[one] - at[other]))
            )
        lines.append(f"require e{number}: {left} == {right + random.choice((0, 0, 0, 0.5))}")
    return _text(lines, [f"show {' + '.join(names)}"])


def _declared(random: Random) -> str:
    """Quantities, functions, kinds and entries of the plan's own."""
    lines = [
        "enum Side { left, right }",
        f"quantity load[s: Side]: Real = match s {{ left => {random.randint(1, 9)}, right => width / 2 }}",
        "quantity highest: Real = max(load[s] for s in Side)",
        "quantity heavier: Side = argmax(load[s] for s in Side)",
        f"quantity wait: s in 0..1 week when width > {random.randint(3, 9)} = {random.randint(1, 9)} hours",
        f"quantity wait: s in 0..1 week when width <= {random.randint(3, 9)} = 1 hour",
        f"fn share(rows: Real) -> Real = rows / (rows + {random.randint(1, 200)})",
        f"let width = ? in {random.choice(('1..12', '[2, 6, 14]', '8'))}" if random.random() < 0.7 else "let width = 5",
        "show share(width * 10)",
        "show highest",
        f'entry gpu "ours" like "{random.choice(GPUS[:5])}" {{ price = {_bound(random, 1, 5, "USD/GPU/hour")} }}',
        f'model "{random.choice(MODELS[:4])}"',
        'hardware { gpu = "ours", gpus = 64 }',
        f"assume mfu = {random.randint(30, 50)}%",
        "dataset.tokens = 300B",
        "quantity waiting_cost: USD = wait * hardware.price * hardware.gpus",
    ]
    wishes = [
        f"require strong: highest >= {random.randint(1, 9)}",
        f"require thrifty: cost + waiting_cost <= {_bound(random, 50, 2000, 'kUSD')}",
        "minimize highest",
    ]
    return _text(lines, _some(random, wishes, 0.6))


FAMILIES = (
    _layout, _impossible, _estimate, _whole, _cluster, _continuous, _unsure, _catalog, _system, _varied,
    _whole, _serving, _declared, _impossible, _continuous,
)  # fmt: skip
