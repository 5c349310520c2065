"""Reading the arguments of calls: the text that the core found, given its meaning.

Here belongs what a scanner asks for a header or a finished call, below any dialect: the decoder,
and the readers of values that it uses. Finding calls in text is the core's part; reading a whole
output into a `Message` stands in `toolspeak.outputs`, above the dialects.
"""
