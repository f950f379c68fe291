"""The manifest of a release read from its JSON, with the type of every value."""

import json
import math
import re
from dataclasses import fields, is_dataclass
from datetime import date
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from annotate.core.files.archives.sources import Source
from annotate.core.files.formats import FormatError
from metrics.core.releases.manifest import Manifest
from metrics.core.releases.verification.release_folder import opened

MANIFEST = "manifest.json"
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
LARGE = 1 << 63
WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def read_manifest(source: Source) -> Manifest:
    """The manifest of a folder. Raises FormatError, with the place of what is wrong in it."""
    manifest: Manifest = entry_of(Manifest, read_json(source, MANIFEST), "")
    return manifest


def read_json(source: Source, path: str) -> Any:
    """The value of a JSON file. Raises FormatError."""
    with opened(source, path) as stream:
        try:
            return json.loads(stream.read())
        except json.JSONDecodeError as error:
            message = f"it is no JSON: {error.msg}."
            raise FormatError(path, error.lineno, "", message) from error
        except (UnicodeDecodeError, RecursionError) as error:
            raise FormatError(path, None, "", f"It is no JSON: {error}.") from error


def entry_of(kind: Any, value: Any, name: str) -> Any:
    """A value of JSON as one of a type of the manifest's fields; name : its place, as a.b[3].

    Raises FormatError. What the type does not know is left out.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return _record_of(kind, value, name)
    if origin in (Union, UnionType):
        (other,) = (part for part in parts if part is not NoneType)
        return None if value is None else entry_of(other, value, name)
    if origin is tuple:
        return _tuple_of(parts, value, name)
    if origin is dict:
        _require(isinstance(value, dict), name, "an object")
        return {key: entry_of(parts[1], part, f"{name}.{key}") for key, part in value.items()}
    return value if kind is Any else _scalar_of(kind, value, name)


def _scalar_of(kind: Any, value: Any, name: str) -> Any:
    if kind is date:
        is_day = isinstance(value, str) and _DAY.fullmatch(value) is not None
        _require(is_day, name, "a day as 2026-03-05")
        return date.fromisoformat(value)
    is_number = kind is float and type(value) is int
    _require(is_number or type(value) is kind, name, WORDS[kind])
    if kind in (int, float):
        is_small = type(value) is float or abs(value) < LARGE
        _require(is_small and math.isfinite(value), name, "a number of at most 64 bits")
    return float(value) if is_number else value


def _record_of(kind: Any, value: Any, name: str) -> Any:
    _require(isinstance(value, dict), name, "an object")
    types = get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    for part in names:
        _require(part in value, f"{name}.{part}", "there")
    return kind(**{part: entry_of(types[part], value[part], f"{name}.{part}") for part in names})


def _tuple_of(parts: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:
    _require(isinstance(value, list), name, "a list")
    if parts[-1] is Ellipsis:
        parts = (parts[0],) * len(value)
    _require(len(parts) == len(value), name, f"a list of {len(parts)}")
    return tuple(
        entry_of(part, cell, f"{name}[{row}]")
        for row, (part, cell) in enumerate(zip(parts, value, strict=True))
    )


def _require(is_so: bool, name: str, words: str) -> None:
    if not is_so:
        message = f"{name.removeprefix('.') or 'Its value'} is not {words}."
        raise FormatError(MANIFEST, None, "", message)
