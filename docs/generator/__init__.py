"""What is written from the library itself: the reference, and the words that editors highlight.

`python docs/generate.py` writes it, `--check` lists outdated pages.
"""
