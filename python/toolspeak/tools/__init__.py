"""The tools of a request: their forms, the set of them by name, and what their schemas say.

Here belongs what is true of a tool in every dialect: reading tool dicts, pydantic models and
functions, and the part of JSON Schema that decides how a value is read. How a tool is shown in a
prompt stands in `toolspeak.writing`, how its arguments are read in `toolspeak.reading`.

Nothing is imported here: reading calls of tools given as dicts loads neither `tool` nor pydantic.
"""
