"""A declarative planning language for training language models, and its compiler."""

__version__ = "0.1.0"
