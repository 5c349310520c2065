"""Whole model outputs: read at once (`parse`), or put together as they come (`assembler`).

Here belongs what makes a `Message` with any dialect, by name. It uses scanners and the registry,
and nothing but the command line uses it; what a scanner itself needs stands in `toolspeak.reading`.
"""
