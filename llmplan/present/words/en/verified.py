"""Whether a run is on plan."""

from __future__ import annotations

from llmplan.present.words.en.labels import Labels

_VERDICTS = {
    "slower": "slower than planned",
    "faster": "faster than planned",
    "more": "more than planned",
    "less": "less than planned",
}


class Verified(Labels):
    """The answer to `llmplan verify`."""

    verified_columns = ("", "seen", "planned", "eight of ten", "")

    def verified(self, file: str, off: str, tolerance: str) -> str:
        if off:
            return f"{file} is not on plan, within {tolerance}: {off}"
        return f"{file} is on plan, within {tolerance}"

    def off_plan(self, name: str, by: str, verdict: str) -> str:
        return f"{name} {by}, {_VERDICTS[verdict]}"

    def rest(self, done: str, steps: str, left: str, planned: str) -> str:
        return f"after step {done} of {steps} the rest takes {left} as seen, {planned} as planned"

    def parts_seen(self, parts: str) -> str:
        return f"parts of a step in the log: {parts}"
