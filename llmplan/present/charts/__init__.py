"""What charts show: one module a chart, with a function from an answer to a record, or None with nothing to show."""
