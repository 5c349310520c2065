"""The command line; only this package imports typer and rich.

`inputs` reads, `show` presents, `recorded` does files of recorded outputs, `commands` ties them
together.
"""
