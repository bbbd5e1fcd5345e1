"""Whether a run is on plan."""

from __future__ import annotations

from llmplan.present.words.en.labels import Labels

_VERDICTS = {
    "slower": "slower than",
    "faster": "faster than",
    "more": "more than",
    "less": "less than",
    "lower": "lower than",
}


class Verified(Labels):
    """The answer to `llmplan verify`."""

    verified_columns = ("", "seen", "planned", "eight of ten", "")

    def verified(self, file: str, off: str, tolerance: str) -> str:
        if off:
            return f"{file} is not on plan, within {tolerance}: {off}"
        return f"{file} is on plan, within {tolerance}"

    def normal(self, file: str, off: str, speed: tuple[str, str, str] | None) -> str:
        """Without a plan of one's own: against published runs; `speed` is its name, the figure, and their band."""
        if off:
            return f"{file} is not normal: {off}"
        if speed is None:
            return f"{file} is normal: as eight of ten such runs are"
        name, seen, band = speed
        return f"{file} is normal: {name} {seen}, {band} in eight of ten such runs"

    def loss_lost(self, step: str, line: int) -> str:
        return f"the loss is no number since step {step}{f' (line {line})' if line else ''}"

    def goes_on(self, first: str, last: str, end: str, by: str, slower: bool, time: str | None) -> str:
        """That the log has later steps, to `end`, whose speed is another one; `time` of one of them."""
        how = f"{by} {'slower' if slower else 'faster'}{'' if time is None else f', {time} each'}"
        said = f"this is about steps {first} .. {last} alone: the log goes on to step {end} at another speed, {how}"
        return f"{said}; what the rest takes is as if it ran like these steps"

    def died(self, line: int, text: str, out_of_memory: str | None) -> str:
        """That the run failed; `out_of_memory` the name of its log where it had no memory left."""
        said = f"the log ends with a failure at line {line}: {text}"
        return said if out_of_memory is None else f"{said}; `llmplan why {out_of_memory}` says what took the memory"

    def restarted(self, times: int, repeated: str | None) -> str:
        """That attempts of the same speed are taken together; `repeated` the steps that were done again."""
        said = f"restarted {'once' if times == 1 else f'{times} times'} and as fast as before: taken together"
        return said if repeated is None else f"{said}; {repeated} steps were done again and count again"

    def missed(self, name: str, text: str, seen: str, steps: tuple[str, str] | None) -> str:
        """A requirement on time or cost that the run does not meet.

        Args:
            seen: What the run takes as a whole.
            steps: The steps that its log announces, for which that is, and those of the plan; None where they agree.
        """
        return f"`{name}` is missed: {text}, as seen {seen}{self._for_steps(steps)}"

    def kept(self, name: str, text: str, seen: str, steps: tuple[str, str] | None) -> str:
        return f"`{name}` is met: {text}, as seen {seen}{self._for_steps(steps)}"

    def _for_steps(self, steps: tuple[str, str] | None) -> str:
        return "" if steps is None else f" for the {steps[0]} steps that the log announces, not the {steps[1]} planned"

    def off_plan(self, name: str, by: str, verdict: str, normal: bool) -> str:
        return f"{name} {by}, {_VERDICTS[verdict]} {'eight of ten such runs' if normal else 'planned'}"

    whole_run = (
        "perhaps: the step is the mean over the whole run, with its start, evaluations and saves: log single steps"
    )

    def part_off(self, part: str, seen: str, planned: str, share: str | None) -> str:
        """The part of a step that is off by most; empty for what no timer of the log counts."""
        part = part or "the rest of the step, which no timer of the log counts"
        said = f"what is off: {part}, {seen} seen, {planned} planned"
        return said if share is None else f"{said}: {share} of the difference"

    def between_steps(self, seconds: str) -> str:
        """By the dates of its lines a run is slower than its steps."""
        said = f"what is off: after each step pass {seconds} that its time does not have, by the dates of the lines"
        return f"{said}: loading of data, logging, callbacks"

    def waits(self, seconds: str, share: str) -> str:
        """A timer of the log counts how long a step waits for its data."""
        return (
            f"what is off: a step waits {seconds} for its data, {share} of the difference: more workers, a faster disk"
        )

    def waits_perhaps(self, low: str, high: str, share: str, switch: str) -> str:
        """Steps are irregular; `switch` makes the software print how long they wait."""
        said = f"perhaps: steps wait for their data; they take {low} to {high}, the fast ones without {share} of the"
        return f"{said} difference; batches of unequal length do so too; what tells: {self._told_by(switch)}"

    def waits_untold(self, switch: str) -> str:
        """The log does not tell how long a step waits for its data."""
        return f"not told by the log: how long a step waits for its data; what tells: {self._told_by(switch)}"

    def _told_by(self, switch: str) -> str:
        return switch or "the same steps on one batch that stays in memory, which wait for none"

    def suspect(self, path: str, other: str, own: str, step: str | None, share: str, of: str, tells: str) -> str:
        """An input that may be otherwise in the run than planned, the step that the plan then has, the share of the
        difference that this explains, of which quantity if not of the step, and what tells.
        """
        then = "" if step is None else f", which would be {step}"
        then += f" ({share} of the difference{f' of {of}' if of else ''})"
        return f"perhaps: {path} = {other} instead of {own}{then}; what tells: {tells}"

    def rest(
        self,
        done: str,
        steps: str,
        otherwise: str | None,
        left: str,
        planned: str,
        end: str | None,
        losing: tuple[str, str] | None,
    ) -> str:
        """How far the run is.

        Args:
            otherwise: The steps of the plan, where the log announces other ones.
            losing: The goodput of the log, where that is lower than planned, and the time of the rest at it.
        """
        steps = steps if otherwise is None else f"{steps} that the log announces, {otherwise} of the plan,"
        said = f"after step {done} of {steps} the rest takes {left} as seen, {planned} as planned"
        if losing is not None:
            goodput, then = losing
            said += f", if nothing more is lost; at the log's goodput of {goodput} it takes {then}"
            return said if end is None else f"{said} and ends on {end}"
        return said if end is None else f"{said}; at this pace and the planned goodput it ends on {end}"

    def goodput(self, seen: str, planned: str | None) -> str:
        said = f"goodput: {seen} of the time of the log's steps went into steady ones"
        return said if planned is None else f"{said}; planned {planned}, with failures"

    def cost_so_far(self, spent: str, end: str, planned: str) -> str:
        return f"cost: {spent} so far, {end} at the end as seen, {planned} as planned"

    def parts_seen(self, parts: str) -> str:
        return f"parts as the log prints them: {parts}"
