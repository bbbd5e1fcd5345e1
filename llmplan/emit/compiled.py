"""Compiled templates of this process, in the form in which Jinja asks for them; imported with Jinja, not before."""

from __future__ import annotations

from types import CodeType

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

Codes = dict[tuple[str, str], CodeType]
"""By the name and the text of a template, as Jinja hashes them."""


class Compiled(BytecodeCache):
    """Codes in memory. None of them is read from a file that others could have written, see SECURITY.md."""

    def __init__(self, codes: Codes) -> None:
        self.codes = codes

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self.codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self.codes[bucket.key, bucket.checksum] = bucket.code
