"""The `toolspeak` command: a guard in front of the commands, which need the `cli` extra."""

from __future__ import annotations

import sys

__all__ = ["main"]

_EXTRA = ("rich", "typer")


def main() -> None:
    """Run the command line; without the `cli` extra say how to get it and exit with status 2."""
    try:
        from toolspeak._cli.commands import app  # noqa: PLC0415 - the extra is optional
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in _EXTRA:
            raise
        print(f"toolspeak: this needs {module}: pip install 'toolspeak[cli]'", file=sys.stderr)
        sys.exit(2)
    app()


if __name__ == "__main__":
    main()
