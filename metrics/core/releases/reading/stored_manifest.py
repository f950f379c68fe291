"""Reads a manifest back from its JSON, as `manifest.json` and the row of a release have it."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from metrics.core.releases.manifest import Manifest


def stored_manifest(values: Mapping[str, Any]) -> Manifest:
    """Return the manifest of these values.

    One that an earlier version wrote may lack fields, which are empty then; unknown ones are left
    out. A missing day is the first of all days.
    """
    manifest = _read(Manifest, values)
    assert isinstance(manifest, Manifest)  # noqa: S101 - as _read returns it
    return manifest


def _read(kind: Any, value: Any) -> Any:
    """A value of JSON as the field of a manifest has it."""
    if is_dataclass(kind):
        hints, cells = get_type_hints(kind), value or {}
        make = cast(Callable[..., Any], kind)
        return make(
            **{
                field.name: _read(hints[field.name], cells.get(field.name))
                for field in fields(kind)
            }
        )
    if isinstance(kind, UnionType):  # a number or None
        return value
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        is_list = arguments[-1] is ...
        cells = value or ([] if is_list else [None] * len(arguments))
        kinds = [arguments[0]] * len(cells) if is_list else arguments
        return tuple(_read(part, cell) for part, cell in zip(kinds, cells, strict=True))
    if origin is dict:
        return dict(value or {})
    if kind is date:
        return date.fromisoformat(value) if value else date.min
    return kind() if value is None else value
