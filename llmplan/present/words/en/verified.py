"""Whether a run is on plan."""

from __future__ import annotations

from llmplan.present.words.en.labels import Labels

_VERDICTS = {
    "slower": "slower than",
    "faster": "faster than",
    "more": "more than",
    "less": "less than",
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
            return f"{file} is not normal: {off} such runs"
        if speed is None:
            return f"{file} is normal: as eight of ten such runs are"
        name, seen, band = speed
        return f"{file} is normal: {name} {seen}, {band} in eight of ten such runs"

    def loss_lost(self, step: str, line: int) -> str:
        return f"the loss is no number since step {step}{f' (line {line})' if line else ''}"

    def off_plan(self, name: str, by: str, verdict: str, normal: bool) -> str:
        return f"{name} {by}, {_VERDICTS[verdict]} {'eight of ten' if normal else 'planned'}"

    whole_run = (
        "perhaps: the step is the mean over the whole run, with its start, evaluations and saves: log single steps"
    )

    def part_off(self, part: str, seen: str, planned: str, share: str | None) -> str:
        """The part of a step that is off by most."""
        said = f"what is off: {part}, {seen} seen, {planned} planned"
        return said if share is None else f"{said}: {share} of the difference"

    def suspect(self, path: str, other: str, own: str, step: str | None, share: str | None, tells: str) -> str:
        """An input that may be otherwise in the run than planned, the step that the plan then has, the share of the
        difference that this explains, and what tells.
        """
        then = "" if step is None else f", which would be {step}"
        then += "" if share is None else f" ({share} of the difference)"
        return f"perhaps: {path} = {other} instead of {own}{then}; what tells: {tells}"

    def rest(self, done: str, steps: str, otherwise: str | None, left: str, planned: str, end: str | None) -> str:
        """How far the run is; `otherwise`: the steps of the plan, where the log announces other ones."""
        steps = steps if otherwise is None else f"{steps} that the log announces, {otherwise} of the plan,"
        said = f"after step {done} of {steps} the rest takes {left} as seen, {planned} as planned"
        return said if end is None else f"{said}; at this pace and the planned goodput it ends on {end}"

    def goodput(self, seen: str, planned: str | None) -> str:
        said = f"goodput: {seen} of the time of the log's steps went into steady ones"
        return said if planned is None else f"{said}; planned {planned}, with failures"

    def cost_so_far(self, spent: str, end: str, planned: str) -> str:
        return f"cost: {spent} so far, {end} at the end as seen, {planned} as planned"

    def parts_seen(self, parts: str) -> str:
        return f"parts as the log prints them: {parts}"
