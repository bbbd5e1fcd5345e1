"""The compiler as a library: the names that `import llmplan` offers. A change of one has a line in the changelog."""

from llmplan.public.functions import check as check
from llmplan.public.functions import compile as compile
from llmplan.public.functions import explain as explain
from llmplan.public.functions import solve as solve
from llmplan.public.functions import sweep as sweep
from llmplan.public.records import Amount as Amount
from llmplan.public.records import Derivation as Derivation
from llmplan.public.records import Diagnostic as Diagnostic
from llmplan.public.records import Diagnostics as Diagnostics
from llmplan.public.records import Solution as Solution
from llmplan.public.records import Step as Step
from llmplan.public.records import Table as Table
from llmplan.public.records import Written as Written
