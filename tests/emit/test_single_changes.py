"""Each input that a plan may set reaches a file, or is refused or remarked on by name: of servers, of what starts a
run, and of models that are trained beside a second one. Training alone has `test_unexported.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from llmplan import api
from llmplan.answer.schema.solution import Solution
from llmplan.check import library
from llmplan.emit.render import render
from llmplan.units.measure import BoolType, EnumType, KindType, ListType, Measure, TextType
from tests.emit.test_unexported import PLAN, STACKS, WHAT
from tests.thorough import many

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("no_advice")]

SERVED = """model "llama-3.1-8b"
hardware {{ gpu = "H100-SXM5-80GB", gpus = 64 }}
serving {{
    input_tokens = 1000, output_tokens = 300, concurrency = 32, queries_per_second = 3, engine = {engine}, tensor = 4
    precision = bf16, kv_precision = fp8, context = 8192, chunk = 4096, replicas = 2
}}
emit {engine}
"""
EXPERTS = (("model", '"qwen3-30b-a3b"'), ("serving.expert", "4"))
SERVERS = ("vllm", "sglang", "tensorrt_llm")
PAIRS = PLAN.replace("global_batch = 256 sequences, micro_batch = 1", "task = dpo, global_batch = 128 pairs")
BESIDE = {
    "trl": "training.micro_batch = 1 pairs\nparallelism { zero_stage = 3 }\n"
    f"emit huggingface {{ trainer = trl, {WHAT} }}\n",
    "trl of deepspeed": "training.micro_batch = 1 pairs\nparallelism { zero_stage = 2, framework = deepspeed }\n"
    f"emit huggingface {{ trainer = trl, {WHAT} }}\n",
    "llamafactory": "training.micro_batch = 1 pairs\nparallelism { zero_stage = 3, framework = deepspeed }\n"
    f'emit llamafactory {{ {WHAT}, template = "t" }}\n',
}
STARTED = PLAN.replace("micro_batch = 1", "micro_batch = 2") + STACKS["deepspeed"]
STARTERS = {
    "slurm": 'slurm { script = "train.py", container = "a.sqsh" }',
    "kubernetes": 'kubernetes { script = "train.py", image = "a/b:1" }',
    "skypilot": 'skypilot { script = "train.py", accelerator = "A100-80GB" }',
    "probe": "probe",
}
TEXTS = {
    "slurm.constraint": "a100&nvlink",
    "slurm.setup": "module load cuda/12.8",
    "slurm.mounts": "/data:/data",
    "kubernetes.resource": "amd.com/gpu",
    "kubernetes.mounts": "data:/data",
    "kubernetes.rdma": "rdma/a=1",
    "kubernetes.secrets": "HF_TOKEN=hub:token",
    "kubernetes.tolerations": "a=b:NoSchedule",
    "kubernetes.node_selector": "pool=h100",
    "skypilot.infra": "aws",
    "skypilot.requirements": "requirements.txt",
    "skypilot.secrets": "HF_TOKEN",
}
"""Texts that options with a pattern take; the others take any."""
RESULTS = (
    "time", "memory.total", "memory.host", "serving.ttft", "serving.tpot", "serving.output_rate",
    "serving.cache_tokens", "serving.replicas",
)  # fmt: skip


def others(path: str, base: Solution) -> list[str]:
    """Other values of an input, of which some may not be legal."""
    field = library.load()[0].fields[path]
    now = base.values[path].value if path in base.values else None
    if isinstance(field.type, EnumType):
        return [member for member in field.type.members if member != now]
    if isinstance(field.type, KindType):
        return [f'"{entry}"' for entry in library.load()[0].entries[field.type.name] if entry != now]
    if isinstance(field.type, BoolType):
        return ["false" if now else "true"]
    if isinstance(field.type, TextType):
        return [f'"{TEXTS.get(path, "other")}"']
    if isinstance(field.type, ListType):
        return []
    assert isinstance(field.type, Measure), path
    unit = field.units[0] if field.units[0] not in ("Int", "Real") else ""
    numbers = [2 * float(now), float(now) / 2] if now else [64, 8, 2, 0.5, 1]  # type: ignore[arg-type]
    return [f"{number:.12g} {unit}".strip() for number in numbers]


def silent(text: str, paths: list[str], all_matter: bool, *settings: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """Inputs with a value that is planned and reaches no file: where not all matter, one that changes a result."""
    base = api.solve("-", text=text, settings=list(settings))
    before = _files(base)
    for path in paths:
        tried = 0
        for other in others(path, base):
            solution = api.solve("-", text=text, settings=[*settings, (path, other)])
            moved = [name for name in RESULTS if _result(solution, name) != _result(base, name)]
            tried += solution.status == "solved"
            if tried > many(1, 2, 99):
                break
            if solution.status != "solved" or not (all_matter or moved):
                continue
            remarked = [one.otherwise for one in solution.preferences if one.holds is False]
            if _files(solution) == before and not any(path in remark for remark in remarked):
                yield path, other


def _result(solution: Solution, name: str) -> object:
    return solution.values[name].value if name in solution.values else None


def _files(solution: Solution) -> dict[str, str]:
    """What is written and started, without its first line; or by what it is refused."""
    assert solution.status == "solved", [one.message for one in solution.diagnostics]
    written, problems = render(solution)
    if problems:
        return {"": "\n".join(one.message for one in problems)}
    return {
        name: "\n".join(line for line in text.splitlines() if "Generated by" not in line)
        for name, text in written.items()
        if not name.endswith((".svg", ".md", "solution.json"))
    }


def inputs(*kinds: str) -> list[str]:
    return [path for path in library.load()[0].fields if path.partition(".")[0] in kinds]


@pytest.mark.parametrize("settings", [(), EXPERTS], ids=["dense", "experts"])
@pytest.mark.parametrize("engine", SERVERS)
def test_what_a_server_is_planned_for_is_in_its_file(engine: str, settings: tuple[tuple[str, str], ...]) -> None:
    text = SERVED.format(engine=engine)
    step = many(12, 12, 1)
    paths = [*inputs("serving")[bool(settings) :: 1 + bool(settings)], "model.params"]
    paths += inputs("model")[SERVERS.index(engine) :: step] if not settings else []
    assert list(silent(text, paths, False, *settings)) == []


@pytest.mark.parametrize("engine", SERVERS)
def test_each_option_of_a_server_is_in_its_file(engine: str) -> None:
    quantised = [("serving.precision", "fp8")] if engine == "vllm" else []
    assert list(silent(SERVED.format(engine=engine), inputs(engine), True, *quantised)) == []


@pytest.mark.parametrize("starter", STARTERS)
def test_each_option_of_what_starts_a_run_is_in_its_file(starter: str) -> None:
    assert list(silent(f"{STARTED}emit {STARTERS[starter]}\n", inputs(starter, "launch"), True)) == []


def test_mounts_without_a_container_are_remarked_on() -> None:
    text = f'{STARTED}emit slurm {{ script = "train.py", mounts = "/data:/data" }}\n'
    (found,) = [one for one in api.solve("-", text=text).preferences if one.name == "slurm_mounts"]
    assert found.holds is False and "`slurm.mounts`" in found.otherwise


@pytest.mark.parametrize("stack", BESIDE)
def test_a_second_model_is_held_as_the_files_say(stack: str) -> None:
    assert list(silent(PAIRS + BESIDE[stack], inputs("reference"), False)) == []


@pytest.mark.parametrize("stack", STACKS)
def test_no_target_distils(stack: str) -> None:
    text = PLAN.replace("global_batch", "task = distill, global_batch") + "teacher { params = 13B params }\n"
    found = api.solve("-", text=text + STACKS[stack])
    assert "method_written" in [one.name for one in found.requirements if one.holds is False]


@pytest.mark.parametrize("engine", SERVERS)
def test_parameters_that_the_weights_have_not_are_refused(engine: str) -> None:
    found = api.solve("-", text=SERVED.format(engine=engine), settings=[("model.params", "9B params")])
    assert f"{engine}_model" in [one.name for one in found.requirements if one.holds is False]
    for rounded in (("model.params", "8B params"), (f"{engine}.checkpoint", '"a/b"')):
        assert api.solve("-", text=SERVED.format(engine=engine), settings=[rounded]).status == "solved"
