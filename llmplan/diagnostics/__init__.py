"""What can be wrong with a plan, as records; how it is shown."""

from llmplan.diagnostics.record import Diagnostic as Diagnostic
from llmplan.diagnostics.record import Edit as Edit
from llmplan.diagnostics.record import Hint as Hint
from llmplan.diagnostics.record import Label as Label
