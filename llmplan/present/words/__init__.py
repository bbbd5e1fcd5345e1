"""The sentences that people read, one function each, and nothing else: no figure is computed here.

Input: texts of amounts, names of a plan, truth values. Output: a phrase or a sentence in one language, a module each.
"""
