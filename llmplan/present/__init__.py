"""An answer as people read it: sections of prose, tables and charts, made once, shown on a screen or in a report."""
