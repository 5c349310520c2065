"""Writing for a model: calls, results, prompts and conversations as text.

Here belong the interface that each dialect's renderer fills, what renderers share, and all that is
written the same way in every dialect. It is below the dialects: a function takes the renderer,
guide or grammar that it needs. How one dialect spells things stands in `toolspeak.dialects`.
"""
