"""The compiler as a library: the names that `import llmplan` offers. A change of one has a line in the changelog."""

from llmplan.public.functions import calibrate as calibrate
from llmplan.public.functions import check as check
from llmplan.public.functions import compile as compile
from llmplan.public.functions import diff as diff
from llmplan.public.functions import explain as explain
from llmplan.public.functions import read as read
from llmplan.public.functions import solve as solve
from llmplan.public.functions import sweep as sweep
from llmplan.public.functions import why as why
from llmplan.public.records import Amount as Amount
from llmplan.public.records import Derivation as Derivation
from llmplan.public.records import Diagnosis as Diagnosis
from llmplan.public.records import Diagnostic as Diagnostic
from llmplan.public.records import Diagnostics as Diagnostics
from llmplan.public.records import Difference as Difference
from llmplan.public.records import Imported as Imported
from llmplan.public.records import Measured as Measured
from llmplan.public.records import Solution as Solution
from llmplan.public.records import Step as Step
from llmplan.public.records import Table as Table
from llmplan.public.records import Written as Written
