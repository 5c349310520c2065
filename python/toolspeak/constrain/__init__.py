"""Grammars that make a model write valid calls, for engines of constrained decoding.

`turns` makes a tree of what a dialect's record says; printers write it for an engine.
"""
