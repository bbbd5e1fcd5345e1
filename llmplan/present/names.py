"""The names of the library that sentences and charts of an answer are about: the only place in Python that has them.

Each is a quantity, an input, a kind, a member of an enum or a requirement of `plans/std` or of a target; a test looks
each of them up in the library, so that one that was renamed is told. What nothing here names is shown as it is called.
"""

from __future__ import annotations

from llmplan.units.amount import Amount

# Quantities.
CHECKPOINT_SIZE = "checkpoint_size"
CHECKPOINT_TIME = "checkpoint_time"
CHECKPOINT_STEPS = "checkpoint_interval_steps"
COST = "cost"
COST_PER_MONTH = "cost_per_month"
DATA_PARALLEL = "data_parallel"
GLOBAL_TOKENS = "global_batch_tokens"
GOODPUT = "goodput"
GPU_HOURS = "gpu_hours"
GRAD_ACCUM = "grad_accum"
HFU = "hfu"
JOB_MTBF = "job_mtbf"
MEDIAN_MEMORY_ERROR = "memory.median_error"
MEDIAN_STEP_ERROR = "step.median_error"
MEMORY = "memory.total"
PEAK_PHASE = "memory.peak_phase"
MEMORY_AT = "memory_at"
MFU = "mfu"
NVME = "memory.nvme"
PARAMS_TOTAL = "model.params_total"
REALISED = "run.realised"
RESTART_TIME = "restart_time"
SERVING_ALONE = "serving.alone"
SERVING_GPUS = "serving.gpus"
SERVING_LATENCY = "serving.latency"
SERVING_COPY = "serving.copy_gpus"
SERVING_MEMORY = "serving.memory"
SERVING_CACHE = "serving.kv_cache"
SERVING_TTFT = "serving.ttft"
SERVING_TPOT = "serving.tpot"
SERVING_COST = "serving.cost_per_million_tokens"
SERVING_COST_INPUT = "serving.cost_per_million_input_tokens"
SERVING_COST_BOTH = "serving.cost_per_million_tokens_of_both"
SERVING_REPLICAS = "serving.replicas"
SERVING_RATE = "serving.output_rate_per_gpu"
SERVING_BOUND = "serving.bound"
SERVING_PLACES = "serving.most_at_once"
SERVING_QUERIES = "serving.queries_per_minute"
STAGE_ACTIVATIONS = "memory.activations_at"
STAGE_GRADIENTS = "memory.gradients_at"
STAGE_LAYERS = "memory.stage_layers"
STAGE_OPTIMIZER = "memory.optimizer_of"
STAGE_WEIGHTS = "memory.weights_of"
STEPS = "steps"
STEP_ESTIMATE = "step.estimate"
STEP_PER_TOKEN = "step.per_token"
STEP_OTHER = "step.other"
STEP_TIME = "step_time"
TFLOPS = "tflops_per_gpu"
TIME = "time"
TOKENS_PER_SECOND = "tokens_per_second"
TOKENS_PER_SECOND_PER_GPU = "tokens_per_second_per_gpu"
TOKENS_TOTAL = "tokens_total"
TRAIN_FLOPS = "train_flops"
WALL_COST = "wall_cost"
WALL_TIME = "wall_time"

# Inputs, and the kind of a model.
ADAPTER_METHOD = "adapter.method"
ADAPTER_RANK = "adapter.rank"
CHECKPOINT_INTERVAL = "training.checkpoint_interval"
CONTEXT = "parallelism.context"
EPOCHS = "dataset.epochs"
EXPERT = "parallelism.expert"
EXPERT_TENSOR = "parallelism.expert_tensor"
FRAMEWORK = "parallelism.framework"
GLOBAL_BATCH = "training.global_batch"
GPU = "hardware.gpu"
GPUS = "hardware.gpus"
GPUS_PER_NODE = "hardware.gpus_per_node"
GPU_MEMORY = "gpu.memory"
INTERNODE = "hardware.internode_bandwidth"
LEARNING_RATE = "training.learning_rate"
MEMORY_RESERVE = "hardware.memory_reserve"
MICRO_BATCH = "training.micro_batch"
MODEL = "model"
NODES = "hardware.nodes"
OFFLOAD = "parallelism.offload"
OFFLOAD_TO = "parallelism.offload_to"
OPTIMIZER = "training.optimizer"
PARAMS = "model.params"
PIPELINE = "parallelism.pipeline"
PRECISION = "training.precision"
PRICE = "hardware.price"
PRICE_SOURCE = "gpu.price_source"
RECOMPUTE = "training.recompute"
RING = "accelerate.ring"
SAVES = "launch.saves"
SEQUENCE_LENGTH = "dataset.sequence_length"
SLURM_LIMIT = "slurm.time_limit"
STORAGE = "hardware.storage_bandwidth"
TASK = "training.task"
TENSOR = "parallelism.tensor"
TOKENS = "dataset.tokens"
VIRTUAL_PIPELINE = "parallelism.virtual_pipeline"
WARMUP = "training.warmup"
ZERO_STAGE = "parallelism.zero_stage"

# Members of enums: of `adapter.method`, `parallelism.offload`, `parallelism.offload_to`, `training.task`.
DISTILL = "distill"
DPO = "dpo"
EVALUATION = "evaluate"
"""The moment of memory between two steps."""
IPO = "ipo"
KTO = "kto"
LORA = "lora"
NO_OFFLOAD = "none"
OFFLOAD_NVME = "nvme"
ORPO = "orpo"
QLORA = "qlora"
REWARD = "reward"
SECOND_STAGE = "second"
SIMPO = "simpo"

# Requirements and preferences of the library.
BATCH_CLOSE = "batch_close"
FITS = "fits"

# The kinds whose names are left out before those of their fields.
LAYOUT_KINDS = ("parallelism", "training")

# The dimension of a sum of money.
MONEY = (("Money", 1),)

# Folders of templates.
HUGGINGFACE = "huggingface"
SLURM = "slurm"

LAUNCHED = (
    TENSOR, PIPELINE, CONTEXT, EXPERT, ZERO_STAGE, MICRO_BATCH, RECOMPUTE, VIRTUAL_PIPELINE, GRAD_ACCUM,
)  # fmt: skip
"""What the line on the launch says, so that the first sentence need not."""

FIRST = (
    TIME, WALL_TIME, GPU_HOURS, COST, WALL_COST, TRAIN_FLOPS, TOKENS_TOTAL, PARAMS_TOTAL, MEMORY, STEP_TIME, MFU,
    TOKENS_PER_SECOND, STEPS, GLOBAL_TOKENS,
)  # fmt: skip
"""The results that most readers look for, in the order in which a screen shows them; `explain` lists all."""

FIRST_SERVED = (
    SERVING_GPUS, SERVING_REPLICAS, SERVING_COPY, SERVING_TTFT, SERVING_TPOT, SERVING_LATENCY, SERVING_RATE,
    SERVING_COST, SERVING_COST_INPUT, SERVING_COST_BOTH, SERVING_MEMORY, SERVING_CACHE, SERVING_PLACES, PARAMS_TOTAL,
)  # fmt: skip
"""The same of a plan that only serves."""

FIRST_SCREEN = (TIME, WALL_TIME, COST, MEMORY, STEPS, MFU, STEP_TIME)
"""What stands in every report, so that a shown row of the same need not."""

CONTRACT = (
    "model.params_total", "model.params_active", "model.params_matmul", "model.params_embedding", "flops_per_token",
    TRAIN_FLOPS, "flops_6nd", "dataset.bytes", TOKENS_TOTAL, "chinchilla_tokens", "tokens_per_parameter",
    "epochs_advice", DATA_PARALLEL, GLOBAL_TOKENS, "global_batch_sequences", GRAD_ACCUM, STEPS, "memory.weights",
    "memory.gradients", "memory.optimizer", "memory.activations", "memory.logits", "memory.temporary",
    "memory.buffers", "memory.context", MEMORY, "memory.peak_stage", PEAK_PHASE, "memory.host", STEP_TIME,
    "step.compute", "step.tensor_comm", "step.context_comm", "step.expert_comm", "step.pipeline_comm",
    "step.pipeline_bubble", "step.data_comm", "step.optimizer", "step.offload", STEP_OTHER, MFU, HFU,
    TOKENS_PER_SECOND, TOKENS_PER_SECOND_PER_GPU, TFLOPS, "scaling_efficiency", TIME, GPU_HOURS, COST, "energy",
    "co2e", WALL_TIME, "wall_gpu_hours", WALL_COST, "wall_energy", "wall_co2e", "data_read_rate", CHECKPOINT_SIZE,
    "checkpoint_interval_optimal", CHECKPOINT_STEPS, "goodput", SERVING_MEMORY, SERVING_CACHE, SERVING_GPUS,
    SERVING_LATENCY,
)  # fmt: skip
"""The quantities that an answer that is kept always has, whatever the plan is about."""

LAYOUT = (DATA_PARALLEL, ZERO_STAGE, TENSOR, PIPELINE, CONTEXT, EXPERT, VIRTUAL_PIPELINE)
"""The degrees of a layout: the first `ALWAYS` of them are said where they are 1 too."""

ALWAYS = 4


def is_money(amount: Amount) -> bool:
    """Whether an amount is a sum of money, of which no cent is known."""
    return amount.measure is not None and amount.measure.dims == MONEY


def ends(name: str) -> int:
    """The digits to which the ends of a band are known: fewer of what is read on the calendar."""
    return 2 if name in (WALL_TIME, WALL_COST) else 3
