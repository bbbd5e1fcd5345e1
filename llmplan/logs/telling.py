"""Lines in the order of a log, as steps of a run: attempts told apart, a step counted once whichever ranks print it.

All ranks may print, lines may come late, a run may restart, and the time of a step may be printed, follow from a rate
or lie between two readings of a clock.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from attrs import evolve

from llmplan.logs.ending import ending
from llmplan.logs.formula import Value
from llmplan.logs.run import MOST_REGIMES, MOST_TIMES, ROLES, Common, Peak, Regime, Run
from llmplan.logs.samples import EVALUATED, SAVED, SKIPPED, STARTED, Sample, Samples

_LATE = 3
"""Intervals by which a line of another rank may come late."""

_STRAYS = 20
"""Lines that may come late in a row: more of them are another attempt."""

_LONGEST = 1e7
"""Seconds that no step takes."""

_FINENESS = 50
"""Of a clock that shows whole seconds, the seconds that an interval must have."""


class Telling:
    """Collects what the lines of one log mean.

    Args:
        steps: Only these, from the first to the last.
    """

    def __init__(self, steps: tuple[float, float] | None = None) -> None:
        self.only = steps
        self.runs: dict[str, Run] = {}
        self.common = Common()

    def hear(
        self,
        format: str,
        told: Mapping[str, Value],
        line: int,
        rank: int | None,
        stamp: float | None = None,
        moment: float | None = None,
    ) -> None:
        """Takes what one line means.

        Args:
            rank: Of the process that printed it, where the line begins with it.
            stamp: Its date in seconds, where it begins with one and has no other time.
            moment: Its date in seconds, where it begins with one.
        """
        run = self.runs.setdefault(format, Run())
        events: dict[str, dict[str, Value]] = {}
        for role, value in told.items():
            event, _, what = role.partition(".")
            if event in ROLES:
                events.setdefault(event, {})[what] = value
            else:
                self.common.inputs[role] = (value, line)
        run.events += 1
        if "start" in events:
            self._start()
        if "progress" in events:
            self._progress(events["progress"])
        if "refused" in events:
            self.common.refused = self.common.refused or (str(events["refused"]["because"]), line)
        if "step" in events:
            self.common.stepped = True
            self._step(run, events["step"], line, rank, stamp, moment)
        if "memory" in events:
            self._memory(run, events["memory"], line, rank, "step" in events)
        if "part" in events and run.regimes and run.last is not None:
            self._parts(run.regimes[-1], events["part"])
        for kind, flag in (("save", SAVED), ("evaluation", EVALUATED)):
            if kind in events:
                self._stop(kind, flag, events[kind], line)
        if "run" in events:
            self.common.of_run({name: _float(value) for name, value in events["run"].items()}, line)
        for name, value in events.get("counted", {}).items():
            self.common.counted[name] = (_float(value), line)
        if "serving" in events:
            self._serving(events["serving"], line)
        if "link" in events and len(self.common.links) < MOST_TIMES:
            self.common.links.append((_float(events["link"].get("bus", 0.0)), line))

    def stray(self, line: int, text: str) -> None:
        """Takes a line that no format knows, which may be of a failure."""
        self.common.failure = ending(self.common.failure, line, text)

    def _start(self) -> None:
        self.common.failure = None
        self.common.started = True
        if "time" not in self.common.summary:
            self.common.restart()
        if not self.common.fresh:
            self.common.attempt += 1
            self.common.fresh = True
            self.common.progress = None

    def _progress(self, told: Mapping[str, Value]) -> None:
        number, last = _float(told.get("number", 0.0)), _float(told.get("last", 0.0))
        if self.common.progress is None or last >= self.common.progress[1]:
            clock = told.get("clock")
            self.common.progress = (number, last, None if clock is None else _float(clock))

    def _serving(self, told: Mapping[str, Value], line: int) -> None:
        if "cache" in told:
            self.common.cache = (_float(told["cache"]), line)
        if "rate" in told and "running" in told:
            self.common.served.append((_float(told["running"]), _float(told["rate"]), line))

    def _parts(self, regime: Regime, told: Mapping[str, Value]) -> None:
        for name, value in told.items():
            times = regime.parts.setdefault(name, [])
            if len(times) < MOST_TIMES:
                times.append(_float(value))

    def _stop(self, kind: str, flag: int, told: Mapping[str, Value], line: int) -> None:
        for run in self.runs.values():
            run.flags |= flag
        if "time" in told:
            times = self.common.times.setdefault(kind, [])
            if len(times) < MOST_TIMES:
                times.append((_float(told["time"]), line))

    def _memory(self, run: Run, told: Mapping[str, Value], line: int, rank: int | None, of_step: bool) -> None:
        own = told.get("rank", rank)
        where = run.regimes[-1].memory if of_step and run.regimes else self.common.memory.setdefault(
            self.common.attempt, {}
        )  # fmt: skip
        doubtful = "skipped" if self.common.all_skipped and not of_step else ""
        doubtful = "start" if "moment" in told and self.common.fresh else doubtful
        for name, value in told.items():
            if name in ("rank", "moment"):
                continue
            peak = where.setdefault(name, Peak(-1.0, line))
            peak.put(_float(value), line, None if own is None else _float(own), doubtful)

    def _step(
        self,
        run: Run,
        told: Mapping[str, Value],
        line: int,
        rank: int | None,
        stamp: float | None,
        moment: float | None,
    ) -> None:
        if run.rank is None:
            run.rank = rank
        elif rank is not None and rank != run.rank:
            return  # every rank prints; one of them is read
        number, numbered = self._number(run, told)
        if run.last is not None and not self._goes_on(run, number):
            return
        if "loss" in told:
            lost = _is_lost(told["loss"])
            self.common.lost = (self.common.lost or (number, line)) if lost else None
        restarted = self.common.attempt != run.attempt
        clock = self._clock(told, numbered, stamp)
        if clock is None and not any(name in told for name in _FIGURES):
            return
        if restarted:
            run.last, run.clock, run.attempt, run.flags = None, None, self.common.attempt, 0
        self.common.fresh = False
        before = run.last
        interval = _given(told, "interval") or (number - before if before is not None else run.interval)
        regime = self._regime(run, told, number, restarted)
        if before is not None and number > before:
            usual = number - before
            run.interval = usual if run.interval is None else min(run.interval, usual)
        sample = self._sample(run, told, line, number, interval, clock, before, numbered)
        run.last, run.strays, self.common.failure = number, 0, None
        run.steps += 1
        skipped = _given(told, "skipped")
        first = run.steps == 1
        if skipped is not None:
            all_skipped = bool(interval) and skipped >= (interval or 0) or bool(interval is None and skipped)
            self.common.all_skipped = all_skipped and (first or self.common.all_skipped)
        else:
            self.common.all_skipped = False
        if regime is None or not self._asked_for(run, number, sample):
            return
        regime.numbered = regime.numbered and numbered
        if not regime.first_line:
            regime.first_line, regime.first_step = line, number
        regime.last_line, regime.last_step = line, number
        if sample is not None:
            regime.samples.add(sample if moment is None else evolve(sample, moment=moment))

    def _asked_for(self, run: Run, number: float, sample: Sample | None) -> bool:
        """Whether a step is one of those that are asked for; what comes after all of them is kept apart."""
        if self.only is None:
            return True
        if self.only[0] <= number <= self.only[1]:
            run.beyond = Samples()
            return True
        if number > self.only[1] and sample is not None:
            run.beyond.add(sample)
        return False

    def _number(self, run: Run, told: Mapping[str, Value]) -> tuple[float, bool]:
        number = _given(told, "number")
        if number is not None:
            return number, True
        last = run.last or 0.0 if self.common.attempt == run.attempt else 0.0
        if self.common.progress is not None and self.common.progress[0] > last:
            return self.common.progress[0], True
        return last + 1, False

    def _clock(self, told: Mapping[str, Value], numbered: bool, stamp: float | None) -> float | None:
        clock = _given(told, "clock")
        if clock is not None:
            return clock
        if self.common.progress is not None and "number" not in told and numbered:
            return self.common.progress[2]
        return stamp

    def _goes_on(self, run: Run, number: float) -> bool:
        """Whether a step is the next of its attempt, or the first of another one; else it was told before."""
        assert run.last is not None
        if number > run.last or self.common.attempt != run.attempt:
            return True
        late = _LATE * (run.interval or 1.0)
        run.strays += 1
        if number == run.last or (run.last - number <= late and run.strays < _STRAYS):
            return False
        self.common.attempt += 1
        return True

    def _regime(
        self,
        run: Run,
        told: Mapping[str, Value],
        number: float,
        restarted: bool,
    ) -> Regime | None:
        batch = _given(told, "batch")
        length, about = _given(told, "length"), _given(told, "about")
        last = run.regimes[-1] if run.regimes else None
        why = ""
        if last is not None:
            if restarted:
                why = "restart"
            elif _differ(batch, last.batch) or _differ(about, last.about):
                why = "batch"
            elif _differ(length, last.length):
                why = "length"
        if last is not None and not why:
            last.batch, last.length, last.about = last.batch or batch, last.length or length, last.about or about
            return last
        if len(run.regimes) >= MOST_REGIMES:
            run.too_many = True
            return None
        regime = Regime(run.attempt, why, dict(self.common.inputs), batch, length, about)
        run.regimes.append(regime)
        return regime

    def _sample(
        self,
        run: Run,
        told: Mapping[str, Value],
        line: int,
        number: float,
        interval: float | None,
        clock: float | None,
        before: float | None,
        numbered: bool,
    ) -> Sample | None:
        time = _given(told, "time")
        rate, per_gpu = _given(told, "rate"), _given(told, "rate_per_gpu")
        batch, samples = _given(told, "batch"), _given(told, "samples_rate")
        if time is None and batch and samples:
            time = batch / samples
        flags = run.flags
        skipped = _given(told, "skipped")
        if skipped:
            flags |= SKIPPED
        by_clock, tokens = time is None and clock is not None, None
        if time is None and clock is not None:
            seen = _given(told, "seen")
            if run.clock is None or before is None:
                run.clock, run.flags = (clock, number, seen), 0
                return Sample(line, number, interval or 1.0, None, flags=flags | STARTED, clocked=True)
            since, from_step, from_seen = run.clock
            if clock.is_integer() and since.is_integer() and clock - since < _FINENESS:
                return None
            seconds = clock - since
            if seconds <= 0:
                run.clock = (clock, number, seen)
                return Sample(line, number, interval or 1.0, None, rate, per_gpu, flags=flags) if per_gpu else None
            count = number - (from_step or 0.0)
            # Records that have no number may each stand for many steps: only the rate of tokens is known.
            time, interval = (seconds / count if numbered and count > 0 else None), count
            if seen is not None and from_seen is not None and seen > from_seen:
                tokens = seen - from_seen
                rate = tokens / seconds
            run.clock = (clock, number, seen)
        run.flags = 0
        begins = self.common.started or number - (interval or 1.0) <= 0
        if before is None and begins and not by_clock and not told.get("windowed"):
            flags |= STARTED
        if time is not None and not 0 < time < _LONGEST:
            return None
        mfu, tflops = _given(told, "mfu"), _given(told, "tflops")
        return Sample(
            line, number, interval or 1.0, time, rate, per_gpu, mfu, tflops, samples, tokens, flags, clocked=by_clock
        )


_FIGURES = ("time", "rate", "rate_per_gpu", "samples_rate", "mfu", "tflops")
"""What a step must have, or a clock, to say something."""


def _is_lost(loss: Value) -> bool:
    """Whether a loss, as a number or as it is printed, is none: `nan`, `-inf`, `NAN`."""
    if isinstance(loss, str):
        return loss.lower().lstrip("+-").startswith(("nan", "inf"))
    return not math.isfinite(loss)


def _given(told: Mapping[str, Value], name: str) -> float | None:
    value = told.get(name)
    return None if value is None or isinstance(value, str) else float(value)


def _float(value: Value) -> float:
    return 0.0 if isinstance(value, str) else float(value)


def _differ(one: float | None, other: float | None) -> bool:
    """Whether two numbers that are both known are not the same."""
    return one is not None and other is not None and one != other
