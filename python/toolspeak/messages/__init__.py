"""The values that calls, results and whole messages are: read by users, written by renderers.

Here belong plain frozen values and what they say of themselves. What makes them of model output
stands in `toolspeak.outputs`, what makes text of them in `toolspeak.writing`.
"""
