"""What charts show: one module a chart, each with a function from an answer to a record, or None with nothing to show."""
