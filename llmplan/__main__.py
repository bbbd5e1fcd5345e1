"""`python -m llmplan`."""

from llmplan.cli import main

main()
