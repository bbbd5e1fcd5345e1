"""Text to syntax tree."""

from llmplan.syntax.parse import parse as parse
from llmplan.syntax.parse import parse_value as parse_value
