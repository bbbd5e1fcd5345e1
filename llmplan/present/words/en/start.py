"""The comments of a starting plan."""

from __future__ import annotations

from llmplan.present.words.en.labels import Labels


class Start(Labels):
    """What a starting plan says of its lines."""

    start_tokens = "The tokens that are trained on, and how many a sample has at most."
    start_open = "`?` is decided by llmplan: the fewest GPUs that the run fits on."
    start_given = "A number may become `?`, which llmplan then decides."
    start_layout = "The layout: how a model that is too large for one GPU is split."
    start_batch = "What an update of the weights is computed from."
    start_require = "What the run must keep to; remove the `#` and set the limits."
    start_goal = "What is best among all plans that keep to it."
    start_emit = "What `llmplan compile` writes beside its report."
    start_yours = "to be replaced by yours"

    def start_title(self, model: str) -> str:
        """The first line."""
        return f"A run that trains {model}."
