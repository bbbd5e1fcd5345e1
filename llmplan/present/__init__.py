"""An answer made readable: sections of prose, tables and charts, the words of them, and how they are shown.

Input: a `Solution`, whose values are numbers and names. Output: records of what people are shown, made once, and the
screen, the report and the pictures made of them. This floor stands above the answer and below `emit/`: nothing here
knows templates or targets, and `emit/` hands its skeletons what they may ask for.
"""
