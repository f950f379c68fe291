"""A record: a frozen dataclass that is made of the JSON of an answer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import date, datetime
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from assayer.client.errors import AssayerError

if TYPE_CHECKING:
    from pandas import DataFrame

R = TypeVar("R", bound="Record")
Convert = Callable[[Any], Any]
MOMENTS: dict[type, Convert] = {datetime: datetime.fromisoformat, date: date.fromisoformat}


@dataclass(frozen=True, kw_only=True)
class Record:
    """An object of an answer; `json` is the object itself, with fields of a newer site too.

    Moments are datetimes in UTC. None is what the site does not know, or does not define.
    """

    json: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The record of an object; raises AssayerError where it is none, or lacks a field."""
        arguments = {}
        table = converters(cls)  # type: ignore[arg-type]  # a class is hashable, also for a cache
        for name, (convert, is_needed) in table.items():
            if is_needed or name in values:
                arguments[name] = convert(field_of(values, name))
        return cls(**arguments, json=values)

    def to_pandas(self) -> "DataFrame":
        """A table with a row for each of its rows; of a record without rows, with one row."""
        return frame_of([self.json])


class Records(list[R]):
    """A list of records."""

    def to_pandas(self) -> "DataFrame":
        """A table with a row for each; raises AssayerError without pandas."""
        return frame_of([record.json for record in self])


def field_of(values: Any, name: str) -> Any:
    """A field of an object of an answer; raises AssayerError where it lacks it, or is none."""
    if not isinstance(values, Mapping):
        raise AssayerError("The site's answer is no object: is it the address of a site?")
    if name not in values:
        raise AssayerError(
            f"The site's answer has no field {name}: its version and the client's differ."
        )
    return values[name]


def frame_of(rows: Iterable[Mapping[str, Any]]) -> "DataFrame":
    """A pandas table of rows; raises AssayerError without pandas."""
    try:
        pandas = import_module("pandas")
    except ModuleNotFoundError as error:
        raise AssayerError("to_pandas needs pandas, which is not installed.") from error
    frame: DataFrame = pandas.DataFrame(list(rows))
    return frame


@cache
def converters(cls: type[Record]) -> dict[str, tuple[Convert, bool]]:
    """Functions that make each field of its JSON, and True if it must be there."""
    hints = get_type_hints(cls)
    return {
        row.name: (converter(hints[row.name]), row.default is MISSING)
        for row in fields(cls)
        if row.name != "json"
    }


def converter(hint: Any) -> Convert:
    """A function that makes a value of a type of its JSON; null stays None."""
    convert = converter_of_value(hint)
    return lambda value: None if value is None else convert(value)


def converter_of_value(hint: Any) -> Convert:
    """The same for what is not null."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        types = [argument for argument in arguments if argument is not NoneType]
        return converter_of_value(types[0]) if len(types) == 1 else as_it_is
    if origin is list:
        inner = converter(arguments[0])
        return lambda rows: [inner(row) for row in rows]
    if origin is dict:
        inner = converter(arguments[1])
        return lambda values: {name: inner(value) for name, value in values.items()}
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.of
    return MOMENTS.get(hint, as_it_is)


def as_it_is(value: Any) -> Any:
    """Return a value of JSON itself."""
    return value
