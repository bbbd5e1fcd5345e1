"""A run as its log tells it: attempts, and in each the regimes in which batch and length stay the same.

Records alone: regimes with their steps, memory by rank, parts of a step, and the inputs of a plan that the log says.
`telling` fills them, `summary` reads them; each is bounded, however long the log is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from attrs import define, field

from llmplan.logs.ending import Ending
from llmplan.logs.formula import Value
from llmplan.logs.samples import Samples

MOST_REGIMES = 256
MOST_TIMES = 512
MOST_SERVED = 1 << 13
"""The last lines of a server that count."""

_FEWEST = 5
"""Records whose mean loss says something."""

_MOST_RANKS = 1 << 16
ROLES = {
    "step": frozenset(
        {
            "number",
            "time",
            "clock",
            "interval",
            "batch",
            "about",
            "length",
            "seen",
            "samples_rate",
            "rate",
            "rate_per_gpu",
            "tflops",
            "mfu",
            "skipped",
            "loss",
            "windowed",
            "is",
        }
    ),
    "memory": frozenset({"rank", "allocated", "reserved", "total", "moment"}),
    "part": frozenset({"forward", "backward", "forward_backward", "optimizer", "all_reduce", "data"}),
    "save": frozenset({"time", "seen"}),
    "evaluation": frozenset({"time", "seen"}),
    "start": frozenset({"seen"}),
    "run": frozenset(
        {"time", "steps", "steps_rate", "samples_rate", "tokens", "total", "resumed", "epoch", "loss", "mean_loss"}
    ),
    "progress": frozenset({"number", "last", "clock"}),
    "link": frozenset({"bus"}),
    "serving": frozenset({"cache", "rate", "running"}),
    "counted": frozenset({"layers", "hidden", "heads", "parameters"}),
    "refused": frozenset({"because"}),
}
"""What a line may tell beside inputs of a plan: by event what is known of it. Times in seconds, sizes in bytes, rates a
second; `about` is a batch with few digits, `seen` tokens from the beginning, `windowed` a rate over the last steps.
`data` is what a step waits for its batch, in other parts or beside them.
Of a run, `total` is how many steps it is to have, `resumed` the step from which it went on, `epoch` where a record is,
`loss` its loss, `mean_loss` that of the whole as the end of the run counts it.
What is `counted` of the model decides nothing: it tells whether the log is of the planned model. What is `refused`
is a run that no plan says anything of, with the reason."""


@define
class Peak:
    """The largest of some readings, where it stands, and how many ranks gave one.

    Attributes:
        doubtful: Why it is no peak of a training: `skipped`, all steps before it were, so that the optimizer had no
            states yet; `start`, there was none. Empty where it is one.
    """

    value: float
    line: int
    ranks: set[int] = field(factory=set)
    doubtful: str = ""

    def put(self, value: float, line: int, rank: float | None, doubtful: str) -> None:
        """Takes one more reading."""
        if doubtful and not self.doubtful and self.value > 0:
            return
        if value > self.value or (self.doubtful and not doubtful):
            self.value, self.line, self.doubtful = value, line, doubtful
        if rank is not None and len(self.ranks) < _MOST_RANKS:
            self.ranks.add(int(rank))


@define
class Epochs:
    """Where the records of an attempt are in its data: the first, the second after it, and the last one; the sum of
    their losses, and how many have one."""

    first: float
    last: float
    interval: float | None = None
    loss: float = 0.0
    losses: int = 0

    def put(self, epoch: float) -> None:
        """Takes one more record; one that goes back is of another attempt."""
        if epoch < self.last:
            self.first, self.interval, self.loss, self.losses = epoch, None, 0.0, 0
        elif self.interval is None and epoch > self.first:
            self.interval = epoch - self.first
        self.last = epoch

    def lost(self, loss: float) -> None:
        """Takes the loss of the record that was put last."""
        self.loss, self.losses = self.loss + loss, self.losses + 1

    def missing(self, mean: float) -> float:
        """The share of the run of which a mean over all of it holds no losses, as the Trainer's after a resume: it
        divides those since then by all steps."""
        own = self.loss / self.losses if self.losses >= _FEWEST else 0.0
        return max(0.0, 1 - mean / own) if own > 0 and mean > 0 else 0.0

    @property
    def before(self) -> float:
        """The share of the run that went before the first record, at least: epochs are printed with few digits."""
        return max(0.0, self.first - 2 * self.interval) / self.last if self.interval else 0.0


@define
class Regime:
    """Steps of one attempt under the same conditions.

    Attributes:
        inputs: What the log says of the plan, each with its line.
        about: The batch where it is printed with too few digits to be known.
        numbered: Whether the log numbers its steps; else they are counted, and a clock tells rates of tokens alone.
        why: What sets it apart from the one before: `restart`, `batch`, `length`; empty of the first.
    """

    attempt: int
    why: str
    inputs: dict[str, tuple[Value, int]]
    batch: float | None = None
    length: float | None = None
    about: float | None = None
    first_line: int = 0
    last_line: int = 0
    first_step: float = 0.0
    last_step: float = 0.0
    numbered: bool = True
    samples: Samples = field(factory=Samples)
    memory: dict[str, Peak] = field(factory=dict)
    parts: dict[str, list[float]] = field(factory=dict)


@define
class Run:
    """What one format says of a run.

    Attributes:
        beyond: Where only some steps are asked for, what the log has after the last of them.
    """

    regimes: list[Regime] = field(factory=list)
    beyond: Samples = field(factory=Samples)
    too_many: bool = False
    steps: int = 0
    last: float | None = None
    clock: tuple[float, float | None, float | None] | None = None
    interval: float | None = None
    rank: int | None = None
    strays: int = 0
    events: int = 0
    flags: int = 0
    attempt: int = -1


@define
class Common:
    """What all formats of a log share.

    Attributes:
        attempt: The number of the attempt that is going on.
        fresh: Whether an attempt has begun and no step of it was seen.
        memory: By attempt what lines beside the steps say.
        moment: By the clock of the log's last step, in seconds from the year 1; None where its lines have no dates.
        began: The first such moment, and the step that ended at it.
        lost: The step since which the loss is no number, with its line; None where the last one is.
        counted: What the log counts of its model, each with its line.
        cache: Tokens that the cache of a server holds, with the line.
        served: Requests under way, tokens a second, and the line, of what a server tells from time to time.
        stepped: Whether a line of a step was seen, whatever it says.
        failure: With which the log ends; None where a step or another start follows it.
        refused: Why no plan says anything of such a run, with the line; None of one that is read.
        summary: What the end of a run says of the whole; `ends` the seconds of each end that was told.
        total: Of the steps that the run is to have, as last told; `resumed` the step from which its attempt went on.
    """

    attempt: int = 0
    fresh: bool = True
    started: bool = False
    all_skipped: bool = False
    inputs: dict[str, tuple[Value, int]] = field(factory=dict)
    memory: dict[int, dict[str, Peak]] = field(factory=dict)
    times: dict[str, list[tuple[float, int]]] = field(factory=dict)
    summary: dict[str, tuple[float, int]] = field(factory=dict)
    ends: list[float] = field(factory=list)
    total: float | None = None
    resumed: float | None = None
    epochs: Epochs | None = None
    links: list[tuple[float, int]] = field(factory=list)
    cache: tuple[float, int] | None = None
    served: deque[tuple[float, float, int]] = field(factory=lambda: deque(maxlen=MOST_SERVED))
    counted: dict[str, tuple[float, int]] = field(factory=dict)
    progress: tuple[float, float, float | None] | None = None
    moment: float | None = None
    began: tuple[float, float] | None = None
    lost: tuple[float, int] | None = None
    stepped: bool = False
    failure: Ending | None = None
    refused: tuple[str, int] | None = None

    def restart(self) -> None:
        """Another attempt begins, of which nothing is known yet."""
        self.resumed = self.epochs = None

    def of_run(self, told: Mapping[str, float], line: int) -> None:
        """Takes what a line says of the run as a whole; what follows its end is of another one."""
        if "time" in told and len(self.ends) < MOST_TIMES:
            self.ends.append(told["time"])
        over = "time" in self.summary
        self.total = told.get("total", self.total)
        for name, value in told.items():
            if name == "epoch" and not over:
                if self.epochs is None:
                    self.epochs = Epochs(value, value)
                self.epochs.put(value)
            elif name == "loss" and self.epochs is not None and not over:
                self.epochs.lost(value)
            elif name == "resumed" and not over:
                self.resumed = value
            elif name not in ("epoch", "loss", "resumed", "total"):
                self.summary.setdefault(name, (value, line))
