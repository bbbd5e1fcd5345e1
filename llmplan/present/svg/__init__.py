"""Charts drawn as SVG: a module for charts of lines and one for bars, and the elements that both consist of.

Input: records of `llmplan.present.charts`. Output: one text each, the same on every machine: no font is measured, and
coordinates have one decimal. Nothing is told by colour alone.
"""
