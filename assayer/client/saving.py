"""Answers that go to files: streamed, checked, and there whole or not at all."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

import httpx2

from assayer.client.bars import Bar
from assayer.client.errors import AssayerError
from assayer.client.transport import Call, Transport

PART = 1 << 20  # bytes


def save(
    transport: Transport,
    call: Call,
    to: Path,
    *,
    sha256: str = "",
    n_bytes: int | None = None,
    show_progress: bool = False,
) -> Path:
    """Store the body of an answer in a file, which is replaced where there is one; returns `to`.

    sha256, n_bytes : those that the site names of the file, where it does
    Raises AssayerError, and stores nothing, where the bytes that came are others, and where there
    is no folder for the file, or something that is no file has its name.
    """
    # a link stays one, to the new file
    target = Path(os.path.realpath(to))
    if not target.parent.is_dir():
        raise AssayerError(f"There is no folder {to.parent}.")
    if not os.access(target.parent, os.W_OK):
        raise AssayerError(f"Nothing can be stored in the folder {to.parent}.")
    if target.exists() and not target.is_file():
        raise AssayerError(f"{to} is no file that could be replaced.")
    part_file = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        with open(part_file, "xb") as file, Bar(to.name, is_shown=show_progress) as bar:

            def consume(response: httpx2.Response) -> tuple[str, int]:
                return copy(response, file, n_bytes, bar)

            digest, size = transport.send(call, consume)
        if (sha256 and digest != sha256) or (n_bytes is not None and size != n_bytes):
            raise AssayerError(f"{to.name} came with other bytes than the site says it has.")
        os.replace(part_file, target)
    finally:
        part_file.unlink(missing_ok=True)
    return to


def copy(
    response: httpx2.Response, file: BinaryIO, n_bytes: int | None, bar: Bar
) -> tuple[str, int]:
    """Copy a body to a file from its start; returns its SHA-256 and its size."""
    file.seek(0)
    file.truncate()
    digest, size = hashlib.sha256(), 0
    for part in response.iter_bytes(PART):
        file.write(part)
        digest.update(part)
        size += len(part)
        bar.show_count(size, n_bytes, "B")
    return digest.hexdigest(), size


def lines_of(transport: Transport, call: Call) -> Iterator[bytes]:
    """The lines of an answer, which has come whole before the first of them is handed out."""
    with tempfile.TemporaryFile() as file:

        def consume(response: httpx2.Response) -> None:
            copy(response, file, None, Bar("", is_shown=False))

        transport.send(call, consume)
        file.seek(0)
        yield from file


def target_of(to: Path | str, file_name: str) -> Path:
    """The file to write: `to`, or in a folder `to` the one with the name of the site."""
    path = Path(to)
    # a name of the site is a name, whatever is in it
    return path / Path(file_name).name if path.is_dir() else path
