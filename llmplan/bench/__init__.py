"""`llmplan bench`: what the machine in hand reaches, as inputs of a plan."""
