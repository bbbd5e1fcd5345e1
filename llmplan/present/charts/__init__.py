"""What charts show: one module a chart, each with a function from an answer to a record, or None with nothing to show.

Names of quantities are arguments: which of them is the memory or the step time, the library says, not this package.
"""
