"""An answer made readable: charts, the words of them, and how they are drawn.

Input: a `Solution`, whose values are numbers and names. Output: records of what people are shown, and texts made of
them. This floor stands above the answer and below `emit/`: nothing here knows templates, targets or files, and `emit/`
hands its skeletons what they may ask for.
"""
