"""Why a run had no memory left."""

from __future__ import annotations

from collections.abc import Sequence

from llmplan.present.blocks import Code, Line, line
from llmplan.present.words.en.labels import Labels

_MOMENTS = {
    "load": "while the model is loaded",
    "start": "as the run starts",
    "forward": "in the forward pass",
    "loss": "in the loss",
    "backward": "in the backward pass",
    "update": "in the optimizer's step",
    "evaluate": "in an evaluation",
    "save": "while a checkpoint is saved",
}
_PROOFS = {
    "size": "by its size",
    "frame": "by the traceback",
    "size and frame": "by its size and the traceback",
}


class Failure(Labels):
    """The answer to `llmplan why`."""

    resident_title = "resident in the plan at its fullest moment"
    avoided_title = "changes that avoid it"

    def failed(self, tried: str | None, what: str, moment: str, proof: str) -> Line:
        """`32.00 GiB is the fp32 copy of …, made as the run starts: told by its size and the traceback`."""
        said = f"{tried} is {_lower(what)}" if tried else f"what failed is {_lower(what)}"
        return line(f"{said}, {_MOMENTS[moment]}: told {_PROOFS[proof]}")

    def seen(self, what: str, moment: str) -> Line:
        """Of an allocation whose size is another in this plan."""
        return line(
            f"the traceback is that of {_lower(what)}, {_MOMENTS[moment]}, which has another size in this plan:"
        )

    def seen_in_frames(self, statement: str) -> Line:
        return line("the traceback shows ", Code(statement), ", which the files do not say: the answer is with it")

    def formula_of(self, name: str, formula: str, size: str | None) -> Line:
        return line(Code(name), f" = {formula}", f" = {size}" if size else "")

    def explained_by(self, samples: int) -> str:
        return f"which makes the micro-batch {samples}; the files do not say it"

    def or_else(self, what: str, name: str, proof: str) -> Line:
        return line("or ", _lower(what), " (", Code(name), f", {_PROOFS[proof]})")

    def told_apart(self) -> str:
        return "the traceback of the failing rank would tell them apart: give the log with it"

    def not_told(self, tried: str | None, planned: bool) -> Line:
        size = f"no allocation that is known takes {tried}" if tried else "the message has no size"
        if not planned:
            return line(f"it cannot be told: {size}, and without a plan or configurations no size can be computed")
        return line(f"it cannot be told: in this plan {size}")

    def failure_cause(self, name: str, tried: str, beside: str, setting: str) -> str:
        """What comes before any term of the model."""
        return {
            "another": f"the message is of another card than the plan ({beside}): what follows compares two runs",
            "unlike": f"the plan is hardly of this run ({beside}), or something in it is not planned: what follows "
            "compares the two",
            "too large": f"the plan needs more than its card has ({beside}): what the allocator holds unused does not "
            "decide",
            "elsewhere": "not the allocator of PyTorch for the card: a library's own, or the driver",
            "host": "the host ran out of memory, not the card, and the system ended the process: there lie the weights "
            "that each rank loads, what is offloaded, pinned copies, and what the loaders of data hold",
            "limited": f"{tried} was refused with {beside} free: a limit on the process, a container or WSL decides, "
            "not the size of the model",
            "fragmented": f"fragmentation decides: the allocator holds {beside} that no tensor uses, in pieces too "
            f"small for what was tried; `{setting}=expandable_segments:True` lets it grow pieces",
            "engine": f"the engine takes its whole share of the card at its start: {tried}, and {beside} are free. "
            "Others hold the rest, often its own processes of an earlier start: end them, or lower "
            "`--gpu-memory-utilization`",
            "still fragmented": "fragmentation decides, though the files let the allocator grow its pieces: "
            f"{beside} is held that no tensor uses",
            "others": f"other processes hold {beside} of the card",
            "block": f"{tried} is a piece of the allocator's own for small requests: it says nothing of what was asked",
        }[name]

    def others_failed(self, sizes: Sequence[tuple[str, int]]) -> str:
        """Of other messages in the log, of other ranks or of later attempts."""
        count = sum(number for _, number in sizes)
        told = ", ".join(f"{number} × {size}" if number > 1 else size for size, number in sizes)
        said = "another message follows" if count == 1 else f"{count} other messages follow"
        return f"{said} in the log, of other ranks or later attempts, which tried to allocate {told}"

    def no_changes(self, fits: bool, needed: str, planned: str) -> str:
        if fits:
            return (
                f"no change is suggested: as the plan has it the run fits, with {needed} of {planned}; what else took "
                "memory is not in the plan"
            )
        return f"no change is suggested: none was found with which the plan, of {needed}, fits in {planned}"

    def pieces(self, count: int, tried: str) -> str:
        return f"PyTorch holds {count} times {tried}: as many tensors of that size may be alive already"

    def compared_with(self, allocated: str | None, planned: str) -> Line:
        if allocated is None:
            return line(f"the plan needs {planned}")
        return line(f"the plan needs {planned} on a card; PyTorch had {allocated} in live tensors by then")

    def no_message(self) -> str:
        return "no out-of-memory message"


def _lower(text: str) -> str:
    """A sentence of the library as a part of another one."""
    first = text.partition(".")[0].strip()
    return first[:1].lower() + first[1:]
