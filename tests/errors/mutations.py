"""Bad plans by the thousand: valid ones with characters and tokens changed, and snippets that strain the compiler."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

PLANS = Path(__file__).parents[2] / "plans"

SNIPPETS = (
    "let a = b\nlet b = a\nshow a\n",
    "let a = if a > 1 then 1 else 2\n",
    "let x = 9^9^9^9\nshow x\nrequire x > 1\n",
    "let x = 1 TB^40\nlet y = 1 kg^-99\nshow x * x\n",
    "let x = 1e300\nshow x * x * x\nrequire x * x <= 1\nminimize x * x\n",
    "let x = 0 / 0\nshow ceil(x)\nshow floor(1 / x)\nshow round(ln(0))\nminimize x\n",
    "let x = ? in 0..1e18\nminimize x\n",
    "let x = ? in 0..1 step 0\nlet y = ? in 1..0\nminimize x + y\n",
    "let x = ? in powers(1.0000001, 1..1e300)\nminimize x\n",
    "let x = ? in divisors(1e15)\nminimize x\n",
    "let x = ? in -1..1\nrequire x^3 - x == 0\nmaximize x\n",
    "let x = ? in 0.0..10.0\nrequire exp(x) == 1 / x\n",
    "let x = ? in 1..5\nlet y = ? in 1..x\nlet z = ? in divisors(y)\nmaximize z - x\n",
    "let x = ? in 1..y\nlet y = ? in 1..x\nminimize x\n",
    "let x = ? in [true, false]\nrequire x or not x\nrequire x and not x\n",
    "fn f(n: Real) -> Real = f(n) + f(n)\nshow f(1)\n",
    "fn a(n: Real) -> Real = b(n) + b(n + 1)\nfn b(n: Real) -> Real = a(n) * 2\nshow a(1)\n",
    "".join(
        f"fn f{i}(n: Real) -> Real = {'n' if i == 0 else f'f{i - 1}(n + 1) + f{i - 1}(n * 2)'}\n" for i in range(30)
    )
    + "show f29(1)\n",
    "show sum(1 for a in Dtype, b in Dtype, c in Dtype, d in Dtype, e in Dtype, f in Dtype, g in Dtype)\n",
    (
        "enum E { a, b, c }\nquantity q[x: E, y: E]: byte = if x == a then 1 byte else q[a, y] * 2\nshow max(q[x, y] "
        "for x in E, y in E)\n"
    ),
    "enum E { a, b }\nquantity q[x: E]: Real = q[x] + 1\nshow q[a]\n",
    "enum E { a, a }\nlet x = ? in [a]\n",
    "quantity q: Real = r\nquantity r: Real = q\nshow q\n",
    "quantity q: Int in 1..3 = 7 / 2\nshow q\nrequire q > 0\n",
    (
        "quantity q: Real when given(dataset.tokens) = 1\nquantity q: Real when not given(dataset.samples) = 2\n"
        "dataset { tokens = 1B }\nshow q\n"
    ),
    "replace quantity time: s = time * 2\nshow time\n",
    "replace fn zero_bytes() -> byte = 1 GB\n",
    "kind k { f: Int in 1..3 = g ? in 1..g, g: Int = f }\nk { f = ? }\nminimize k.f\n",
    (
        'kind car { wheels: Int = 4, top: m/s }\nentry car "a" like "b"\nentry car "b" like "a"\ncar { wheels = ? }\n'
        "show car.wheels\n"
    ),
    'entry gpu "x" like "x" { memory = 1 GB }\nhardware { gpu = "x" }\nshow gpu.peak_bf16\n',
    'hardware { gpu = ? in ["A100-SXM4-80GB", "H100-SXM5-80GB"], gpus = ? in [1, 2] }\nminimize gpu.memory\n',
    "hardware { gpu = ? }\nminimize gpu.memory\n",
    "unit furlong: s = 3 smoots\nunit smoot: s = 3 furlongs\nlet x = 3 furlong\n",
    "dimension Length\nunit m: Length\nunit km: m = 1000 m\nlet x = 3 km/hour\nshow x in m/s\n",
    'scenario "a" { let = 3 }\nscenario "a" { hardware.gpus = ? }\n',
    "show interpolate(3, [[1, 2], [1, 3]])\nshow interpolate(3, [])\nshow interpolate(0 / 0, [[1, 2], [3, 4]])\n",
    'require "{1/0}" == "{x in GB}"\nlet x = "{x}"\n',
    "assume mfu = ?\nassume time = ? in 1 day .. 2 days\nassume mfu = 40\n",
    "show match 3 { 1 => 2, 1 => 3 }\nshow match true { true => 1 }\n",
    "training { global_batch = ? }\nshow training.global_batch\nshow training.global_batch.token\n",
    "training { global_batch = ? in [1M tokens, 64 sequences] }\nminimize global_batch_tokens\n",
    "training { global_batch = ? in powers(2, 1 sequence .. 64) }\nminimize training.global_batch.sequence\n",
    "waive fits, fits, nothing\nprefer fits: 1 > 2 weight 1e300\nprefer 1 > 2 weight 3\nrequire fits: 1 < 2\n",
    'show given(time)\nshow given(3)\nshow emits("x")\nshow assumed(hardware.gpus)\nrequire given(gpu)\n',
    'let µ = 3\nlet x = "\\{\\"é"\nshow x\n',
    "show " + "(" * 99 + "1" + ")" * 99 + "\n",
    "show " + " + ".join("1" for _ in range(3000)) + "\n",
    "show " + " ^ ".join("2" for _ in range(90)) + "\n",
    (
        'model { params = ? in 1B..1T }\nhardware { gpu = "A100-SXM4-80GB", gpus = 64 }\ndataset { tokens = 1T }\n'
        "assume mfu = 40%\nrequire time <= 30 days\nmaximize model.params\n"
    ),
    "let x = ? in 10%..70%\nrequire 3 >= 7.5 when 1 < x - 1T\n",
    "assume time = 3 days\nassume cost = ? in 1 USD .. 2 USD\nrequire cost >= 3 USD\n",
)

ODD = (
    "?", "? in 1..0", "0", "-1", "1e300", "9^9^9", "0/0", "1/0", "NaN", "1 GB", "3 nodes", "1..2", "[]", "[1]", "true",
    "bf16", '"x"', "hardware.gpus", "time", "memory.total", "given(time)", "min()", "-", "..", "==", "{", "}", "(", ")",
    "let", "require", "@cite", "#", "##", "\n", ",", "in", "when", "match x { _ => 1 }", "if true then 1 else 2",
    "sum(1 for p in Precision)", "7B", "80 B", "0 s", "1 TB^40", "\x00", "\ufeff", "\U0001f600", "é",
    "training.global_batch",
)  # fmt: skip

NUMBERS = ("0", "1", "2", "3", "7", "0.5", "64", "1e300", "1e-300", "40%", "7B", "1T", "999_999_999_999_937", "2.5")

_TOKEN = re.compile(r'"[^"\n]*"|[A-Za-z_][\w.]*|[0-9][\w.]*|\s+|.', re.DOTALL)


def sources() -> list[str]:
    """Every plan that ships, and the snippets."""
    found = [path.read_text(encoding="utf-8") for path in sorted(PLANS.rglob("*.plan"))]
    small = [text for text in found if len(text) < 4000]
    return [*small, *SNIPPETS, *SNIPPETS]


def mutants(seed: int, count: int) -> Iterator[str]:
    """Texts that are almost plans, the same for the same seed."""
    dice = random.Random(seed)
    texts = sources()
    tokens = [_TOKEN.findall(text) for text in texts]
    for _ in range(count):
        at = dice.randrange(len(texts))
        kind = dice.randrange(10)
        if kind < 2:
            yield _characters(dice, texts[at])
        elif kind == 2:
            yield texts[at] + texts[dice.randrange(len(texts))]
        elif kind < 8:
            yield _alike(dice, tokens[at], tokens[dice.randrange(len(texts))])
        else:
            yield _tokens(dice, tokens[at], tokens[dice.randrange(len(texts))])


def _alike(dice: random.Random, tokens: list[str], others: list[str]) -> str:
    """Names for names and numbers for numbers, so that most of it still parses."""
    changed = list(tokens)
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(changed))
        pool = [token for token in others if _sort(token) == _sort(changed[at])] or list(ODD)
        changed[at] = dice.choice(NUMBERS) if _sort(changed[at]) == "number" else dice.choice(pool)
    return "".join(changed)


def _sort(token: str) -> str:
    if token[0].isalpha():
        return "name"
    return "number" if token[0].isdigit() else token[0]


def _characters(dice: random.Random, text: str) -> str:
    letters = list(text)
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(letters) + 1)
        action = dice.randrange(3)
        if action == 0 and letters:
            del letters[at : at + dice.randrange(1, 4)]
        elif action == 1:
            letters.insert(at, chr(dice.choice((dice.randrange(32, 127), dice.randrange(0x3000)))))
        else:
            letters[at : at + 1] = dice.choice("0123456789.^*/+-=<>?()[]{},:\"'\n ")
    return "".join(letters)


def _tokens(dice: random.Random, tokens: list[str], others: list[str]) -> str:
    changed = list(tokens)
    for _ in range(dice.randrange(1, 5)):
        at = dice.randrange(len(changed) + 1)
        action = dice.randrange(6)
        if action == 0 and changed:
            del changed[at : at + dice.randrange(1, 4)]
        elif action == 1:
            changed.insert(at, dice.choice(ODD))
        elif action == 2 and at < len(changed):
            changed[at] = dice.choice(ODD)
        elif action == 3:
            changed.insert(at, dice.choice(others))
        elif action == 4 and changed:
            other = dice.randrange(len(changed))
            at %= len(changed)
            changed[at], changed[other] = changed[other], changed[at]
        else:
            changed[at : at + 1] = others[: dice.randrange(1, 20)]
    return "".join(changed)
