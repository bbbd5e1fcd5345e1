"""Files of other software, read as a plan: `llmplan import`.

Text → documents (`syntaxes`: keys with their places) → recognised formats → formulas over keys → a plan's text. What a
key means is said in the plan language, in `templates/*/read.plan`; nothing that is read is ever run.
"""
