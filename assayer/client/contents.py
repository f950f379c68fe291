"""Contents to upload: a path, an open file or bytes, as a file that can be read twice."""

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeGuard

Content = BinaryIO | Path | str | bytes | Iterable[bytes]


@contextmanager
def opened(content: Content) -> Iterator[BinaryIO]:
    """A content as an open file, which can be read from its start again; never whole in memory.

    content : a path (a str is one too), an open file, bytes, or parts of them. What cannot be read
        twice, as a pipe or parts, goes to a temporary file first.
    """
    if isinstance(content, str | Path):
        with open(content, "rb") as file:
            yield file
    elif is_file(content) and content.seekable():
        yield content
    else:
        with tempfile.TemporaryFile() as file:
            if is_file(content):
                shutil.copyfileobj(content, file)
            else:
                file.writelines([content] if isinstance(content, bytes) else content)
            file.seek(0)
            yield file


def is_file(content: Content) -> TypeGuard[BinaryIO]:
    """True if a content is an open file."""
    return hasattr(content, "read")


def name_of(content: Content, file_name: str = "") -> str:
    """The name that the site shows of a file."""
    if file_name:
        return file_name
    path = content if isinstance(content, str | Path) else getattr(content, "name", "")
    return Path(path).name if isinstance(path, str | Path) and str(path) else "upload"


def form_value(value: object) -> str:
    """A value as a field of a form; a mapping is JSON."""
    if isinstance(value, Mapping):
        return json.dumps(dict(value))
    return str(value).lower() if isinstance(value, bool) else str(value)
