"""A solved plan as data: records of amounts, names, enum members and expressions as written, and not one sentence.

Numbers are in base units (byte, FLOP, s, token, parameter, USD, J, kg; counts as they are). Nothing here computes:
`answer/` and `advice/` fill it, `present/` and `emit/` read it.
"""
