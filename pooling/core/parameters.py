"""What a strategy lets people set: numbers and choices, each with its range and its default."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pooling.core.selections import StrategyError

Value = float | str
Values = Mapping[str, Value]


class Number(NamedTuple):
    """One number a strategy takes: a whole one unless its default is a fraction; its range includes both ends."""

    name: str
    label: str
    low: float
    high: float
    default: float
    sentence: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether only whole numbers make sense."""
        return isinstance(self.default, int)

    def checked(self, value: object) -> float:
        """The value as a number. Raises StrategyError where it is none, or out of range."""
        if isinstance(value, int | float) and not isinstance(value, bool) and self.low <= value <= self.high:
            if not self.is_whole:
                return float(value)
            if value == int(value):
                return int(value)
        kind = "a whole number" if self.is_whole else "a number"
        raise StrategyError(self.name, f"{self.label} is {kind} from {self.low:g} to {self.high:,g}.")


class OneOf(NamedTuple):
    """One of some named ways; choices : what people read, by key."""

    name: str
    label: str
    choices: Mapping[str, str]
    default: str
    sentence: str = ""

    def checked(self, value: object) -> str:
        """The value as a key. Raises StrategyError where it is none of the choices."""
        if isinstance(value, str) and value in self.choices:
            return value
        raise StrategyError(self.name, f"{self.label} is one of: {', '.join(filter(None, self.choices))}.")


class Text(NamedTuple):
    """A few characters; empty means none."""

    name: str
    label: str
    length: int
    default: str = ""
    sentence: str = ""

    def checked(self, value: object) -> str:
        """The value without blanks around it. Raises StrategyError where it is no text or too long."""
        if isinstance(value, str) and len(value.strip()) <= self.length and value.isprintable():
            return value.strip()
        raise StrategyError(self.name, f"{self.label} is a text of at most {self.length} characters.")


Parameter = Number | OneOf | Text


def complete(parameters: Iterable[Parameter], values: Mapping[str, object]) -> dict[str, Value]:
    """Each parameter's value, its default where nothing is given. Raises StrategyError for one out of range."""
    return {each.name: each.checked(values.get(each.name, each.default)) for each in parameters}


def number(values: Values, name: str) -> float:
    """A value that its parameter has checked to be a number."""
    return float(values[name])
